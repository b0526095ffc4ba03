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
    /// Some 150 bytes each.
    static constexpr std::size_t kept_max = 65'536;

    explicit Known(std::size_t max = kept_max) : max_(max) {}

    /// What the whole batch is decided on, if all that it asks for is grants and spends of known
    /// accounts. `links` is the writer's: over another link than the last there may be a store that
    /// was restored, and nothing is known of that.
    [[nodiscard]] std::optional<ledger::State> recall(const std::vector<Job>& batch,
                                                      std::uint64_t links);

    /// What a batch has left of the accounts in `state`.
    void learn(const ledger::State& state, std::uint64_t links);

private:
    /// What grants and spends go by.
    struct Standing {
        const ledger::Asset* asset = nullptr;
        Amount balance = 0;
        std::int64_t seq = 0;
        Instant recorded_at;
        ledger::Limits limits;
    };
    using Standings = std::unordered_map<AccountId, Standing>;

    [[nodiscard]] const Standing* find(const AccountId& id) const;
    void keep(const ledger::Account& account, const ledger::Asset& asset);
    void forget_other(std::uint64_t links);

    std::size_t max_;
    Standings young_;
    Standings old_;
    std::unordered_map<AssetCode, ledger::Asset> assets_;  ///< Those of the accounts.
    std::uint64_t links_ = 0;
};

}  // namespace passbook::writer
