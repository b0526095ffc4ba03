// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lab/self.h"
#include "lab/trade_lock.h"
#include "lock/lock.h"

namespace passbook::lab {

/// A lock in the hands of an actor process; what becomes of it is noted on the time axis.
class HeldLock {
public:
    virtual ~HeldLock() = default;

    /// Waits for it at most that long; false where somebody else had it all the time.
    virtual bool acquire(const std::string& key, std::chrono::milliseconds wait) = 0;
    /// What came of it: `released`, or that it was not ours any more.
    virtual std::string release() = 0;
    /// 0 where there is none.
    [[nodiscard]] virtual std::int64_t fence() const {
        return 0;
    }
};

/// How the trade lets go: by the key alone, or only what has its own token.
enum class Release : std::uint8_t { plain_delete, compare_and_delete };

/// The trade's lock.
class TradeHeld : public HeldLock {
public:
    TradeHeld(Self& self, Release how);

    bool acquire(const std::string& key, std::chrono::milliseconds wait) override;
    std::string release() override;

    [[nodiscard]] bool is_mine();

private:
    Self& self_;
    Release how_;
    std::unique_ptr<TradeLock> lock_;
    std::string key_;
    std::string token_;
};

/// Passbook's lock, with the fence.
class OurHeld : public HeldLock {
public:
    /// Renewed until `hold_max`.
    explicit OurHeld(Self& self,
                     std::chrono::milliseconds hold_max = std::chrono::milliseconds(60'000));

    bool acquire(const std::string& key, std::chrono::milliseconds wait) override;
    std::string release() override;
    [[nodiscard]] std::int64_t fence() const override {
        return guard_->fence();
    }

    [[nodiscard]] lock::Locks& locks() noexcept {
        return *locks_;
    }
    [[nodiscard]] lock::Guard& guard() noexcept {
        return *guard_;
    }
    /// What the last acquisition came to.
    [[nodiscard]] lock::Acquired result() const noexcept {
        return result_;
    }

private:
    Self& self_;
    std::unique_ptr<lock::Locks> locks_;
    std::optional<lock::Guard> guard_;
    lock::Acquired result_ = lock::Acquired::unavailable;
};

/// Times of a Passbook lock with this TTL, such that each fits in.
[[nodiscard]] lock::Settings times_of(std::chrono::milliseconds ttl);

}  // namespace passbook::lab
