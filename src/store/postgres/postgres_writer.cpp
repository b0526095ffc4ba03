// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_writer.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/assert.h"
#include "base/failpoint.h"
#include "store/postgres/lookups.h"
#include "store/postgres/queries.h"
#include "store/postgres/rows.h"

namespace passbook::store::postgres {
namespace {

std::vector<AccountId> look_up_touched(Connection& connection,
                                       const std::vector<EntryId>& originals) {
    std::vector<AccountId> touched;
    if (originals.empty()) {
        return touched;
    }
    const Result result = run_one(connection, queries().touched, parameters_of(originals));
    for (int i = 0; i < result.rows(); ++i) {
        touched.push_back(AccountId::trusted(std::string(result.row(i).text(0))));
    }
    return touched;
}

/// An original that was committed only after `touched` was looked up touches accounts that are not
/// locked: it is not there yet.
bool is_locked(const ledger::Original& original, const ledger::State& state) {
    const auto& entries = original.record.entries;
    return std::all_of(entries.begin(), entries.end(), [&](const ledger::Entry& entry) {
        return state.accounts.contains(entry.account);
    });
}

void read_holds(const Result& result, ledger::State& state) {
    for (int i = 0; i < result.rows(); ++i) {
        ledger::Hold hold = read_hold(result.row(i));
        state.holds.emplace(hold.opened, hold);
    }
}

/// What the statements of one trip are expected to write; told apart only when all was committed.
class Counts {
public:
    void expect(std::size_t rows, std::size_t statements = 1) {
        expected_.push_back({static_cast<std::int64_t>(rows), statements});
    }

    /// Takes the results of all that was expected, in order.
    void take(Pipeline& trip) {
        for (const auto& [rows, statements] : expected_) {
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

}  // namespace

PostgresWriter::~PostgresWriter() {
    rollback();
}

ledger::State PostgresWriter::begin(const std::vector<ledger::Need>& needs) {
    PASSBOOK_ASSERT(link_.current() == nullptr || !link_.current()->in_transaction());
    return link_.with_fresh([&](Connection& connection) { return begin_on(connection, needs); });
}

ledger::State PostgresWriter::begin_on(Connection& connection,
                                       const std::vector<ledger::Need>& needs) {
    standings_.clear();
    try {
        const auto touched = look_up_touched(connection, originals_of(needs));
        ledger::State state = load(connection, wanted_of(needs, touched));
        failpoint("postgres_after_begin");
        load_due_holds(connection, state);
        return state;
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

ledger::State PostgresWriter::load(Connection& connection, const Wanted& wanted) {
    const Queries& all = queries();
    const bool has_accounts = !wanted.accounts.empty();
    const bool has_keys = !wanted.keys.empty();
    const bool has_originals = !wanted.originals.empty();
    const bool has_holds = !wanted.holds.empty();
    Pipeline trip(connection);
    trip.add(all.begin);
    const bool locks_assets = !wanted.put.empty() || !all_used(wanted.assets);
    if (locks_assets) {
        trip.add(all.lock_assets,
                 Parameters().array(array_of(wanted.assets)).array(array_of(wanted.put)));
    }
    if (has_accounts) {
        trip.add(all.lock_accounts, parameters_of(wanted.accounts));
        trip.add(all.accounts, parameters_of(wanted.accounts));
    }
    trip.add(all.assets, Parameters().array(array_of(wanted.assets)));
    if (has_keys) {
        trip.add(all.records, parameters_of(wanted.keys));
        trip.add(all.refusals, parameters_of(wanted.keys));
    }
    if (has_originals) {
        trip.add(all.originals, parameters_of(wanted.originals));
    }
    if (has_holds) {
        trip.add(all.holds, parameters_of(wanted.holds));
    }
    trip.sync();

    ledger::State state;
    (void)trip.next();
    if (locks_assets) {
        (void)trip.next();
    }
    if (has_accounts) {
        (void)trip.next();
        read_accounts(trip.next(), state);
    }
    read_assets(trip.next(), state);
    if (has_keys) {
        auto records = read_originals(trip.next(), wanted.keys.size());
        auto refusals = read_refusals(trip.next(), wanted.keys.size());
        for (std::size_t i = 0; i < wanted.keys.size(); ++i) {
            if (records[i]) {
                state.outcomes.emplace(wanted.keys[i], std::move(records[i]->record));
            } else if (refusals[i]) {
                state.outcomes.emplace(wanted.keys[i], std::move(*refusals[i]));
            }
        }
    }
    if (has_originals) {
        auto originals = read_originals(trip.next(), wanted.originals.size());
        for (std::size_t i = 0; i < wanted.originals.size(); ++i) {
            if (originals[i] && is_locked(*originals[i], state)) {
                state.originals.emplace(wanted.originals[i], std::move(*originals[i]));
            }
        }
    }
    if (has_holds) {
        read_holds(trip.next(), state);
    }
    trip.finish();
    return state;
}

/// An asset in use stays in use: once that was seen, opening an account changes no row of assets.
bool PostgresWriter::all_used(const std::vector<AssetCode>& codes) const {
    return std::all_of(codes.begin(), codes.end(),
                       [this](const AssetCode& code) { return used_assets_.contains(code); });
}

void PostgresWriter::read_assets(const Result& result, ledger::State& state) {
    if (result.rows() == 0) {
        throw Failure(FailureKind::broken, "the store has not even the default asset");
    }
    state.now = clock_ != nullptr ? clock_->now() : result.row(0).instant(0);
    for (int i = 0; i < result.rows(); ++i) {
        ledger::Asset asset = read_asset(result.row(i), 1);
        if (asset.used) {
            used_assets_.insert(asset.code);
        }
        state.assets.insert_or_assign(asset.code, std::move(asset));
    }
}

void PostgresWriter::read_accounts(const Result& result, ledger::State& state) {
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        ledger::Account account = read_account(row);
        if (!state.assets.contains(account.asset)) {
            state.assets.emplace(account.asset, read_asset(row, account_column_count));
        }
        standings_.insert_or_assign(account.id, standing_of(account));
        state.accounts.insert_or_assign(account.id, std::move(account));
    }
}

void PostgresWriter::load_due_holds(Connection& connection, ledger::State& state) {
    std::vector<AccountPlace> due;
    for (const auto& [id, account] : state.accounts) {
        if (account.wake_at && *account.wake_at <= std::max(state.now, account.recorded_at)) {
            due.push_back({shard_of(id.text()), id});
        }
    }
    if (!due.empty()) {
        read_holds(run_one(connection, queries().open_holds, parameters_of(due)), state);
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
    std::vector<AccountPlace> unknown;
    for (const ledger::Entry& entry : changes.entries) {
        if (!standings_.contains(entry.account)) {
            unknown.push_back({shard_of(entry.account.text()), entry.account});
        }
    }
    if (unknown.empty()) {
        return;
    }
    std::sort(unknown.begin(), unknown.end());
    unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
    Pipeline trip(connection);
    trip.add(queries().lock_accounts, parameters_of(unknown));
    trip.add(queries().accounts, parameters_of(unknown));
    trip.sync();
    (void)trip.next();
    ledger::State state;
    read_accounts(trip.next(), state);
    trip.finish();
}

void PostgresWriter::write(Connection& connection, const ledger::Changes& changes) {
    const Queries& all = queries();
    Pipeline trip(connection);
    Counts counts;
    for (const ledger::Asset& asset : changes.assets) {
        trip.add(all.update_asset, parameters_of(asset));
        trip.add(all.insert_asset, parameters_of(asset));
        counts.expect(1, 2);
    }
    if (!changes.opened.empty()) {
        trip.add(all.insert_accounts, opened_parameters(changes.opened));
        counts.expect(changes.opened.size());
    }
    if (!changes.described.empty()) {
        trip.add(all.describe_accounts, described_parameters(changes.described));
        counts.expect(count_described(changes.described));
    }
    if (!changes.entries.empty()) {
        trip.add(all.insert_entries, entry_parameters(changes.entries, standings_));
        counts.expect(changes.entries.size());
    }
    trip.flush();
    failpoint("postgres_mid_write");
    if (!changes.refusals.empty()) {
        trip.add(all.insert_refusals, refusal_parameters(changes.refusals));
        counts.expect(changes.refusals.size());
    }
    failpoint("postgres_before_commit");
    trip.add(all.commit);
    trip.sync();

    counts.take(trip);
    (void)trip.next();
    trip.finish();
    if (counts.differs()) {
        throw Failure(FailureKind::in_doubt, "the database wrote another number of rows");
    }
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
