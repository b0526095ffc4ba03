// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ledger/state.h"
#include "writer/reply.h"

namespace passbook::writer {

/// Accounts as a lane's last batches have left them. Nothing of them is locked: what is decided on
/// them counts only where the database finds that they still stand so.
///
/// Known are open accounts with nothing held, `kept_max` of those met last at least and twice as
/// many at most: of two generations the older goes when the younger is full.
class Known {
public:
    /// Some 300 bytes each.
    static constexpr std::size_t kept_max = 65'536;

    explicit Known(std::size_t max = kept_max) : max_(max) {}

    /// What the whole batch is decided on, if all that it asks for is grants and spends of known
    /// accounts. They are known no more until they are given back.
    [[nodiscard]] std::optional<ledger::State> take(const std::vector<Job>& batch,
                                                    std::uint64_t links);

    /// What was taken, as a batch has left it.
    void give_back(ledger::State state);

    /// What a batch behind locks has left. `links` is the writer's: over another link than the last
    /// there may be a store that was restored, and nothing is known of that.
    void learn(ledger::State state, std::uint64_t links);

private:
    using Accounts = std::unordered_map<AccountId, ledger::Account>;

    [[nodiscard]] bool covers(const ledger::Command& command) const;
    void forget_other(std::uint64_t links);

    std::size_t max_;
    Accounts young_;
    Accounts old_;
    std::unordered_map<AssetCode, ledger::Asset> assets_;
    std::uint64_t links_ = 0;
};

}  // namespace passbook::writer
