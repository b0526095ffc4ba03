// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/postgres/link.h"
#include "store/postgres/places.h"
#include "store/postgres/writes.h"
#include "store/store.h"

namespace passbook::store::postgres {

/// One writing connection. A batch is two round trips: one locks and looks up, one writes and
/// commits; where it has targets a first one learns which accounts they touch, and where holds are
/// due a further one brings them.
///
/// READ COMMITTED, so that every statement sees what was committed before it began. What decides is
/// therefore read by statements behind the one that locks, whose own view may be as old as its
/// wait. A connection that broke is replaced at the next `begin`.
class PostgresWriter final : public Writer {
public:
    /// `clock` is read in place of the database's, if there is one.
    PostgresWriter(const Address& address, const Clock* clock)
        : link_(link_to(address, Purpose::write)), clock_(clock) {}
    ~PostgresWriter() override;

    [[nodiscard]] ledger::State begin(const std::vector<ledger::Need>& needs) override;
    void commit(const ledger::Changes& changes) override;
    void rollback() noexcept override;
    void confirm() override;

private:
    [[nodiscard]] ledger::State begin_on(Connection& connection,
                                         const std::vector<ledger::Need>& needs);
    [[nodiscard]] ledger::State load(Connection& connection, const Wanted& wanted);
    void read_accounts(const Result& result, ledger::State& state);
    void load_due_holds(Connection& connection, ledger::State& state);
    void learn_standings(Connection& connection, const ledger::Changes& changes);
    void write(Connection& connection, const ledger::Changes& changes);

    Link<Connection> link_;
    const Clock* clock_;
    Standings standings_;
};

}  // namespace passbook::store::postgres
