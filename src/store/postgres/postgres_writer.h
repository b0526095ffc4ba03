// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>

#include "base/clock.h"
#include "store/postgres/link.h"
#include "store/postgres/places.h"
#include "store/postgres/writes.h"
#include "store/store.h"

namespace passbook::store::postgres {

/// One writing connection. A batch is two round trips: one locks and looks up, one writes and
/// commits; where something is reversed a first one learns which accounts it touched, and where
/// keys are used already, holds are due, or an account is not there yet, a further one brings what
/// that takes.
///
/// What follows from what is known takes one trip, which locks, writes and commits.
///
/// READ COMMITTED, so that every statement sees what was committed before it began. What decides is
/// therefore read by statements behind the one that locks, whose own view may be as old as its
/// wait. A connection that broke is replaced at the next `begin`.
class PostgresWriter final : public Writer, public Sender {
public:
    /// `clock` is read in place of the database's, if there is one.
    PostgresWriter(const Address& address, const Clock* clock);
    ~PostgresWriter() override;

    [[nodiscard]] ledger::State begin(const std::vector<ledger::Need>& needs) override;
    [[nodiscard]] std::chrono::microseconds lock_wait() const noexcept override {
        return lock_wait_;
    }
    void commit(const ledger::Changes& changes) override;
    void rollback() noexcept override;
    void confirm() override;

    /// A statement about one shard may run where there are no guards.
    [[nodiscard]] Sender* sender() noexcept override {
        return reach_ == Reach::all_shards && clock_ == nullptr ? this : nullptr;
    }
    [[nodiscard]] std::uint64_t links() const noexcept override {
        return links_;
    }
    void send(const ledger::State& state, const ledger::Changes& changes) override;
    [[nodiscard]] Instant settle() override;

private:
    [[nodiscard]] ledger::State begin_on(Connection& connection,
                                         const std::vector<ledger::Need>& needs);
    [[nodiscard]] ledger::State load(Connection& connection, const Wanted& wanted);
    struct Trip;
    void ask(Pipeline& trip, const Trip& asked) const;
    void load_outcomes(Connection& connection, const std::vector<ledger::SubjectKey>& used,
                       ledger::State& state);
    [[nodiscard]] bool all_in_use(const std::vector<AssetCode>& codes) const;
    void read_assets(const Result& result, ledger::State& state);
    void read_accounts(Pipeline& trip, std::size_t turns, ledger::State& state);
    [[nodiscard]] Instant read_clock(const Row& row);
    void load_assets(Connection& connection, const Wanted& wanted, ledger::State& state);
    void load_due_holds(Connection& connection, ledger::State& state);
    void learn_standings(Connection& connection, const ledger::Changes& changes);
    void write(Connection& connection, const ledger::Changes& changes);
    class Counts;
    struct Sent;
    void add_writes(Pipeline& trip, Counts& counts, const ledger::Changes& changes);

    Reach reach_;
    Link<Connection> link_;
    const Clock* clock_;
    Standings standings_;
    std::chrono::microseconds lock_wait_{0};
    /// Those seen in use, as they were then: they stay in use, with their scale and `balanced`.
    /// What else is in them, for openings, may have changed since.
    std::unordered_map<AssetCode, ledger::Asset> in_use_;
    std::weak_ptr<Connection> seen_on_;
    std::uint64_t links_ = 0;
    std::unique_ptr<Sent> sent_;
};

}  // namespace passbook::store::postgres
