// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/mariadb/link.h"
#include "store/standing.h"
#include "store/store.h"
#include "store/wanted.h"

namespace passbook::store::mariadb {

/// One writing connection. A batch is a round trip to lock and look up, one for each table that it
/// writes, and COMMIT; what is replayed, reversed or held takes further ones.
///
/// READ COMMITTED, so that every statement sees what was committed before it began. What decides is
/// therefore read by statements behind the ones that lock. A connection that broke is replaced at
/// the next `begin`.
class MariadbWriter final : public Writer {
public:
    /// `clock` is read in place of the database's, if there is one.
    MariadbWriter(const Address& address, const Clock* clock)
        : link_(link_to(address, Purpose::write)), clock_(clock) {}
    ~MariadbWriter() override;

    [[nodiscard]] ledger::State begin(const std::vector<ledger::Need>& needs) override;
    [[nodiscard]] std::chrono::microseconds lock_wait() const noexcept override {
        return lock_wait_;
    }
    void commit(const ledger::Changes& changes) override;
    void rollback() noexcept override;
    void confirm() override;

private:
    [[nodiscard]] ledger::State begin_on(Connection& connection,
                                         const std::vector<ledger::Need>& needs);
    [[nodiscard]] ledger::State lock_and_load(Connection& connection, const Wanted& wanted);
    void load_accounts(const Result& accounts, ledger::State& state);
    void load_assets(const Result& assets, ledger::State& state);
    void load_more(Connection& connection, const Wanted& wanted, ledger::State& state);
    void check_fences(Connection& connection);
    void load_due_holds(Connection& connection, ledger::State& state);
    void learn_standings(Connection& connection, const ledger::Changes& changes);
    void write(Connection& connection, const ledger::Changes& changes);

    Link<Connection> link_;
    const Clock* clock_;
    Standings standings_;
    std::chrono::microseconds lock_wait_{0};
};

}  // namespace passbook::store::mariadb
