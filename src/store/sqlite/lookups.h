// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ledger/state.h"
#include "store/sqlite/connection.h"

namespace passbook::store::sqlite {

/// The look-ups that the writer and the readers share, prepared once per connection. They read what
/// the connection's open transaction sees.
class Lookups {
public:
    explicit Lookups(Connection& connection);

    [[nodiscard]] std::optional<ledger::Asset> asset(const AssetCode& code);
    [[nodiscard]] std::optional<ledger::Account> account(Shard shard, const AccountId& id);
    [[nodiscard]] std::optional<ledger::Outcome> outcome(Shard shard,
                                                         const ledger::SubjectKey& key);
    [[nodiscard]] std::optional<ledger::Original> original(const EntryId& id);
    [[nodiscard]] std::optional<ledger::Hold> hold(const EntryId& id);
    [[nodiscard]] std::vector<ledger::Hold> open_holds(Shard shard, const AccountId& account);

private:
    void add_legs(ledger::Record& record);
    [[nodiscard]] Amount reversed(const ledger::Entry& entry);

    Statement asset_;
    Statement account_;
    Statement entry_by_key_;
    Statement entry_;
    Statement legs_;
    Statement reversed_;
    Statement refusal_;
    Statement hold_;
    Statement open_holds_;
};

}  // namespace passbook::store::sqlite
