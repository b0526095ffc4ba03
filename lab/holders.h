// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lab/experiment.h"
#include "lab/held_lock.h"
#include "lab/process.h"

/// Processes that work on one account under one lock, and the story that several experiments tell
/// of them: the first is late.

namespace passbook::lab {

inline constexpr const char* wallet_key = "wallet";

/// Plain tables with a wallet of 5,000 whose row has a fence, and the trade's locks; and where
/// `with_store`, a Passbook store for the leases or fences of our own locks.
void create_held_wallet(Stage& stage, bool with_store);
inline constexpr std::int64_t held_wallet_opening = 5'000;

/// What the row and the entries say.
void read_held_wallet(Stage& stage, Round& round);

// What a holder does with the account. It is told the `amount` and its `name`, which is its key.

[[nodiscard]] std::int64_t read_balance(Self& self);

/// Writes what it read plus the amount, and the entry; false where that came too late.
using Write = std::function<bool(Self&, HeldLock&, std::int64_t read)>;

/// As the trade does it: whatever is there by now.
[[nodiscard]] bool write_over(Self& self, HeldLock& lock, std::int64_t read);
/// Only where the balance is enough at that moment.
[[nodiscard]] bool write_if_enough(Self& self, HeldLock& lock, std::int64_t read);
/// Only where no later holder has written; reports `late` writes.
[[nodiscard]] bool write_with_fence(Self& self, HeldLock& lock, std::int64_t read);

/// Acquires, reads, refuses what the balance does not allow, waits at `decided`, writes, waits at
/// `written`, releases. Reports `accepted` and what the `release` said.
void work_under(Self& self, HeldLock& lock, const Write& write);

/// Looks from outside whether the lock on the wallet is held.
class Watch {
public:
    enum class Of : std::uint8_t { trade_lock, our_lock };
    Watch(Stage& stage, Of of);

    /// Until nobody holds it; noted on the lane. Throws std::runtime_error after a minute.
    void await_expiry(Timeline::Lane& lane);

private:
    std::unique_ptr<TradeLock> trade_;
    std::unique_ptr<lock::Locks> ours_;
};

/// What becomes of A's lock while A is at `decided`.
enum class Fate : std::uint8_t {
    stands_still,  ///< A is stopped by SIGSTOP until the lock has expired.
    works_on,      ///< A goes on and the lock expires all the same.
    wiped,         ///< The lock service forgets it: needs Redis.
};

/// A acquires, reads and decides. Its lock is lost. B does the whole work. A goes on and writes;
/// then both release. Both are told `words`, A also `of_a`, which goes first.
struct Story {
    std::string experiment;
    std::string role;
    Watch::Of lock = Watch::Of::our_lock;
    Words words = {};
    Words of_a = {};
    Fate fate = Fate::stands_still;
    /// Called once A is at `decided`; may be absent.
    std::function<void()> then = {};
};

/// What A reports goes to `report_of_a` where that is not null.
[[nodiscard]] Round tell(Stage& stage, const Story& story, Words* report_of_a = nullptr);

}  // namespace passbook::lab
