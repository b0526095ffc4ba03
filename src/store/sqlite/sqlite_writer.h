// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/lookups.h"
#include "store/standing.h"
#include "store/store.h"

namespace passbook::store::sqlite {

/// The one writing connection of a store. BEGIN IMMEDIATE takes the database's write lock, which
/// stands for the row locks of the servers: until COMMIT nobody else changes anything.
class SqliteWriter final : public Writer {
public:
    SqliteWriter(Connection& connection, const Clock& clock);
    ~SqliteWriter() override;

    [[nodiscard]] ledger::State begin(const std::vector<ledger::Need>& needs) override;
    [[nodiscard]] std::chrono::microseconds lock_wait() const noexcept override {
        return lock_wait_;
    }
    void commit(const ledger::Changes& changes) override;
    void rollback() noexcept override;
    void confirm() override {}

private:
    void check_fences();
    void load(ledger::State& state, const ledger::Need& need);
    void load_original(ledger::State& state, const EntryId& id);
    void load_hold(ledger::State& state, const EntryId& id);
    void load_account(ledger::State& state, const AccountId& id);
    void load_asset(ledger::State& state, const AssetCode& code);
    void write(const ledger::Changes& changes);
    void put(const ledger::Asset& asset);
    void open(const ledger::Account& account);
    void describe(const ledger::Account& account);
    void add(const ledger::Entry& entry);
    [[nodiscard]] Standing& standing(const AccountId& id);
    void keep(const ledger::StoredRefusal& refusal);

    Connection& connection_;
    const Clock& clock_;
    Lookups lookups_;
    Standings standings_;
    std::chrono::microseconds lock_wait_{0};
    Statement begin_;
    Statement commit_;
    Statement fence_;
    Statement update_asset_;
    Statement insert_asset_;
    Statement insert_account_;
    Statement update_metadata_;
    Statement insert_entry_;
    Statement insert_refusal_;
};

}  // namespace passbook::store::sqlite
