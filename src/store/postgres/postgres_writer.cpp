// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_writer.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/failpoint.h"
#include "store/loaded.h"
#include "store/postgres/lookups.h"
#include "store/postgres/queries.h"
#include "store/read_rows.h"

namespace passbook::store::postgres {
namespace {

constexpr int clock_column_count = 2;

void add_used(const Result& result, const Items<ledger::SubjectKey>& asked,
              std::vector<ledger::SubjectKey>& used) {
    for (int i = 0; i < result.rows(); ++i) {
        used.push_back(*asked.at(place_of(result.row(i))));
    }
}

}  // namespace

/// What the statements of a trip are expected to write.
class PostgresWriter::Counts {
public:
    void expect(std::size_t rows, std::size_t statements = 1) {
        expected_.push_back({static_cast<std::int64_t>(rows), statements});
    }

    /// Takes the results of all that was expected, in order.
    void take(Pipeline& trip) {
        for (const auto& [rows, statements] : std::exchange(expected_, {})) {
            std::int64_t written = 0;
            for (std::size_t i = 0; i < statements; ++i) {
                written += trip.next().affected();
            }
            differs_ = differs_ || written != rows;
        }
    }

    [[nodiscard]] bool differs() const noexcept {
        return differs_;
    }

private:
    struct Expected {
        std::int64_t rows;
        std::size_t statements;
    };
    std::vector<Expected> expected_;
    bool differs_ = false;
};

/// A transaction that is under way.
struct PostgresWriter::Sent {
    explicit Sent(std::shared_ptr<Connection> on) : connection(std::move(on)), trip(*connection) {}

    std::shared_ptr<Connection> connection;
    Pipeline trip;
    std::size_t rows = 0;
};

PostgresWriter::PostgresWriter(const Address& address, const Clock* clock)
    : reach_(address.reach()), link_(link_to(address, Purpose::write)), clock_(clock) {}

PostgresWriter::~PostgresWriter() {
    sent_.reset();
    rollback();
}

ledger::State PostgresWriter::begin(const std::vector<ledger::Need>& needs) {
    PASSBOOK_ASSERT(link_.current() == nullptr || !link_.current()->in_transaction());
    return link_.with_fresh([&](Connection& connection) { return begin_on(connection, needs); });
}

ledger::State PostgresWriter::begin_on(Connection& connection,
                                       const std::vector<ledger::Need>& needs) {
    standings_.clear();
    if (const auto link = link_.current(); seen_on_.lock() != link) {
        in_use_.clear();  // behind another link may be a store that was restored
        seen_on_ = link;
        ++links_;
    }
    try {
        const auto touched = look_up_touched(connection, originals_of(needs), reach_);
        ledger::State state = load(connection, wanted_of(needs, touched));
        failpoint("postgres_after_begin");
        load_due_holds(connection, state);
        return state;
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

/// What a batch asks for, statement by statement.
struct PostgresWriter::Trip {
    Trip(const Fences& carried, const Wanted& wanted, Reach reach)
        : fences(turns_of(carried, reach)),
          accounts(turns_of(wanted.accounts, reach)),
          keys(turns_of(wanted.keys, reach)),
          originals(turns_of(wanted.originals, reach)),
          holds(turns_of(wanted.holds, reach)) {}

    std::vector<Turn<Fence>> fences;
    std::vector<Turn<AccountPlace>> accounts;
    std::vector<Turn<ledger::SubjectKey>> keys;
    std::vector<Turn<EntryId>> originals;
    std::vector<Turn<EntryId>> holds;
};

ledger::State PostgresWriter::load(Connection& connection, const Wanted& wanted) {
    Trip asked(carried(), wanted, reach_);
    Pipeline trip(connection);
    ask(trip, asked);

    ledger::State state;
    (void)trip.next();
    std::size_t unmoved = 0;
    for (std::size_t i = 0; i < asked.fences.size(); ++i) {
        unmoved += static_cast<std::size_t>(trip.next().rows());
    }
    read_accounts(trip, asked.accounts.size(), state);
    std::vector<ledger::SubjectKey> used;
    for (const auto& turn : asked.keys) {
        add_used(trip.next(), turn.items, used);
    }
    Originals originals(wanted.originals.size());
    for (const auto& turn : asked.originals) {
        originals.add(trip.next(), turn.places);
    }
    for (std::size_t i = 0; i < asked.holds.size(); ++i) {
        keep_holds(trip.next(), state);
    }
    trip.finish();
    if (unmoved != carried().size()) {
        throw StaleFence();
    }
    load_assets(connection, wanted, state);
    if (reach_ == Reach::one_shard) {
        add_legs(connection, originals);
    }
    keep_originals(wanted, std::move(originals).take(), state);
    load_outcomes(connection, used, state);
    return state;
}

/// Locks first, and then everything that is decided on.
void PostgresWriter::ask(Pipeline& trip, const Trip& asked) const {
    const Queries& all = queries(reach_);
    const auto add = [&](const Query& query, const auto& turns) {
        for (const auto& turn : turns) {
            trip.add(query, parameters_of(turn.items, reach_));
        }
    };
    trip.add(all.begin);
    add(all.lock_fences, asked.fences);
    add(all.lock_accounts, asked.accounts);
    add(all.standings, asked.accounts);
    add(all.used_keys, asked.keys);
    add(all.originals, asked.originals);
    add(all.holds, asked.holds);
    trip.sync();
}

/// All of a trip arrives at once: only the database knows when it got so far.
Instant PostgresWriter::read_clock(const Row& row) {
    const Instant locked = row.instant(0);
    const Instant begun = row.instant(1);
    lock_wait_ = std::chrono::microseconds(locked.micros - begun.micros);
    return clock_ != nullptr ? clock_->now() : locked;
}

/// An asset that an account has is in use, and what can still change of it matters to openings
/// alone. So a trip is made only where something may be opened or put, or no account told the time:
/// behind the accounts, which are always locked before assets are.
void PostgresWriter::load_assets(Connection& connection, const Wanted& wanted,
                                 ledger::State& state) {
    const bool may_open = state.accounts.size() < wanted.accounts.size();
    std::vector<AssetCode> codes = wanted.assets;
    bool is_seen = !may_open && wanted.put.empty() && !state.accounts.empty();
    for (const auto& [_, account] : state.accounts) {
        if (const auto seen = in_use_.find(account.asset); seen != in_use_.end()) {
            state.assets.insert(*seen);
        } else {
            codes.push_back(account.asset);
            is_seen = false;
        }
    }
    if (is_seen) {
        return;
    }
    const bool locks = !wanted.put.empty() || (may_open && !all_in_use(wanted.assets));
    Pipeline trip(connection);
    if (locks) {
        trip.add(queries().lock_assets,
                 Parameters().array(array_of(wanted.assets)).array(array_of(wanted.put)));
    }
    trip.add(queries().assets, Parameters().array(array_of(codes)));
    trip.sync();
    if (locks) {
        (void)trip.next();
    }
    read_assets(trip.next(), state);
    trip.finish();
}

/// Once an asset was seen in use, opening an account changes no row of assets.
bool PostgresWriter::all_in_use(const std::vector<AssetCode>& codes) const {
    return std::all_of(codes.begin(), codes.end(),
                       [this](const AssetCode& code) { return in_use_.contains(code); });
}

void PostgresWriter::read_assets(const Result& result, ledger::State& state) {
    if (result.rows() == 0) {
        throw Failure(FailureKind::broken, "the store has not even the default asset");
    }
    state.now = read_clock(result.row(0));
    for (int i = 0; i < result.rows(); ++i) {
        ledger::Asset asset = read_asset(result.row(i), clock_column_count);
        if (asset.used) {
            in_use_.insert_or_assign(asset.code, asset);
        }
        state.assets.insert_or_assign(asset.code, std::move(asset));
    }
}

/// A trip of its own, for few batches hold a repeated request: what the keys of the others stand
/// for is asked with all that it takes to answer, which costs more than to see that it is nothing.
void PostgresWriter::load_outcomes(Connection& connection,
                                   const std::vector<ledger::SubjectKey>& used,
                                   ledger::State& state) {
    if (used.empty()) {
        return;
    }
    auto outcomes = look_up_outcomes(connection, used, reach_);
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (outcomes[i]) {
            state.outcomes.emplace(used[i], std::move(*outcomes[i]));
        }
    }
}

/// The results of `lock_accounts` and of `standings`, `turns` of each. An account whose opening was
/// committed while the locks were waited for is not among the locked ones, and not there yet.
void PostgresWriter::read_accounts(Pipeline& trip, std::size_t turns, ledger::State& state) {
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const Result result = trip.next();
        for (int i = 0; i < result.rows(); ++i) {
            const Row row = result.row(i);
            ledger::Account account = read_opening(row, clock_column_count);
            state.accounts.insert_or_assign(account.id, std::move(account));
        }
        if (result.rows() > 0) {
            state.now = read_clock(result.row(result.rows() - 1));
        }
    }
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const Result result = trip.next();
        for (int i = 0; i < result.rows(); ++i) {
            const Row row = result.row(i);
            const auto found = state.accounts.find(AccountId::trusted(text_of(row, 0)));
            if (found != state.accounts.end()) {
                read_standing(row, found->second);
            }
        }
    }
    for (const auto& [id, account] : state.accounts) {
        standings_.insert_or_assign(id, standing_of(account));
    }
}

void PostgresWriter::load_due_holds(Connection& connection, ledger::State& state) {
    const auto due = with_due_holds(state);
    for (const auto& turn : turns_of(due, reach_)) {
        keep_holds(
            run_one(connection, queries(reach_).open_holds, parameters_of(turn.items, reach_)),
            state);
    }
}

void PostgresWriter::commit(const ledger::Changes& changes) {
    const auto connection = link_.current();
    if (connection == nullptr) {
        throw Failure(FailureKind::unavailable, "the connection of the transaction is gone");
    }
    PASSBOOK_ASSERT(connection->in_transaction());
    try {
        learn_standings(*connection, changes);
        write(*connection, changes);
    } catch (...) {
        connection->roll_back();
        throw;
    }
    try {
        failpoint("postgres_after_commit");
    } catch (const Failure& failure) {
        throw Failure(FailureKind::in_doubt, failure.what());  // it is written
    }
}

/// A store that is rebuilt gets entries of accounts that no need has named.
void PostgresWriter::learn_standings(Connection& connection, const ledger::Changes& changes) {
    for (const ledger::Account& account : changes.opened) {
        standings_.insert_or_assign(account.id, standing_of(account));
    }
    const auto unknown = unknown_to(standings_, changes.entries);
    if (unknown.empty()) {
        return;
    }
    const auto turns = turns_of(unknown, reach_);
    Pipeline trip(connection);
    for (const Query* query : {&queries(reach_).lock_accounts, &queries(reach_).standings}) {
        for (const auto& turn : turns) {
            trip.add(*query, parameters_of(turn.items, reach_));
        }
    }
    trip.sync();
    ledger::State state;
    read_accounts(trip, turns.size(), state);
    trip.finish();
}

void PostgresWriter::write(Connection& connection, const ledger::Changes& changes) {
    Counts counts;
    if (reach_ == Reach::one_shard) {
        // Rows of an account that is not there fall out of what such a statement writes, so they
        // are counted before the COMMIT.
        Pipeline writes(connection);
        add_writes(writes, counts, changes);
        writes.sync();
        counts.take(writes);
        writes.finish();
        if (counts.differs()) {
            throw GuardFired(FailureKind::broken, "rows of an account that does not exist");
        }
    }
    Pipeline trip(connection);
    if (reach_ == Reach::all_shards) {
        add_writes(trip, counts, changes);
    }
    failpoint("postgres_before_commit");
    trip.add(queries().commit);
    trip.sync();

    counts.take(trip);
    (void)trip.next();
    trip.finish();
    if (counts.differs()) {
        throw Failure(FailureKind::in_doubt, "the database wrote another number of rows");
    }
}

void PostgresWriter::add_writes(Pipeline& trip, Counts& counts, const ledger::Changes& changes) {
    const Queries& all = queries(reach_);
    for (const ledger::Asset& asset : changes.assets) {
        trip.add(all.update_asset, parameters_of(asset));
        trip.add(all.insert_asset, parameters_of(asset));
        counts.expect(1, 2);
    }
    for (const auto& turn : turns_of(opened_items(changes.opened), reach_)) {
        trip.add(all.insert_accounts, opened_parameters(turn.items, reach_));
        counts.expect(turn.items.size());
    }
    for (const auto& turn : turns_of(last_described(changes.described), reach_)) {
        trip.add(all.describe_accounts, described_parameters(turn.items, reach_));
        counts.expect(turn.items.size());
    }
    const auto entries = entries_in_order(changes.entries, standings_);
    for (const auto& turn : turns_of(entries, reach_)) {
        const Rows rows = rows_of(turn.items);
        trip.add(rows == Rows::plain ? all.insert_plain_entries : all.insert_entries,
                 entry_parameters(turn.items, rows, reach_));
        counts.expect(turn.items.size());
    }
    if (failpoints_armed()) {
        trip.flush();  // a process that ends here has written, and not committed
    }
    failpoint("postgres_mid_write");
    for (const auto& turn : turns_of(changes.refusals, reach_)) {
        trip.add(all.insert_refusals, refusal_parameters(turn.items, reach_));
        counts.expect(turn.items.size());
    }
}

void PostgresWriter::send(const ledger::State& state, const ledger::Changes& changes) {
    PASSBOOK_ASSERT(!changes.entries.empty() && sent_ == nullptr);
    auto connection = link_.current();
    if (connection == nullptr || !connection->is_still_open()) {
        throw Failure(FailureKind::unavailable, "the connection of what is known is gone");
    }
    Standings standings;
    for (const auto& [id, account] : state.accounts) {
        standings.emplace(id, standing_of(account));
    }
    const auto written = entries_in_order(changes.entries, standings);
    sent_ = std::make_unique<Sent>(std::move(connection));
    try {
        sent_->trip.add(queries().begin);
        sent_->trip.add(queries().append_entries, append_parameters(written));
        sent_->rows = written.size();
        if (failpoints_armed()) {
            sent_->trip.flush();  // a process that ends here has written, and not committed
        }
        failpoint("postgres_mid_write");
        failpoint("postgres_before_commit");
        sent_->trip.add(queries().commit);
        sent_->trip.sync();
    } catch (...) {
        sent_.reset();
        throw;
    }
}

Instant PostgresWriter::settle() {
    PASSBOOK_ASSERT(sent_ != nullptr);
    const std::unique_ptr<Sent> sent = std::move(sent_);
    Pipeline& trip = sent->trip;
    Instant now;
    std::int64_t rows = 0;
    try {
        (void)trip.next();
        const Result written = trip.next();
        now = read_clock(written.row(0));
        rows = written.row(0).integer(clock_column_count);
        (void)trip.next();
        trip.finish();
    } catch (const GuardFired& fired) {
        sent->connection->roll_back();
        throw Stale(fired.what());
    } catch (...) {
        sent->connection->roll_back();
        throw;
    }
    if (rows != static_cast<std::int64_t>(sent->rows)) {
        throw Failure(FailureKind::in_doubt, "the database wrote another number of rows");
    }
    try {
        failpoint("postgres_after_commit");
    } catch (const Failure& failure) {
        throw Failure(FailureKind::in_doubt, failure.what());  // it is written
    }
    return now;
}

void PostgresWriter::rollback() noexcept {
    if (const auto connection = link_.current()) {
        connection->roll_back();
    }
}

void PostgresWriter::confirm() {
    const auto connection = link_.current();
    if (connection == nullptr) {
        throw Failure(FailureKind::unavailable, "the connection to be confirmed is gone");
    }
    postgres::confirm(*connection);
}

}  // namespace passbook::store::postgres
