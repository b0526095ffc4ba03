// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/mariadb_writer.h"

#include <algorithm>

#include "base/assert.h"
#include "base/failpoint.h"
#include "store/loaded.h"
#include "store/mariadb/lookups.h"
#include "store/mariadb/places.h"
#include "store/mariadb/queries.h"
#include "store/mariadb/writes.h"
#include "store/read_rows.h"

namespace passbook::store::mariadb {
namespace {

std::vector<AccountId> look_up_touched(Connection& connection,
                                       const std::vector<EntryId>& originals) {
    if (originals.empty()) {
        return {};
    }
    return read_all(connection.ask(queries().touched, Parameters().text(json_of(originals))),
                    [](const Row& row) { return AccountId::trusted(text_of(row, 0)); });
}

bool has_unused(const ledger::State& state) {
    return std::any_of(state.assets.begin(), state.assets.end(),
                       [](const auto& asset) { return !asset.second.used; });
}

/// What stands of the keys, from rows of those that are taken.
void load_outcomes(Connection& connection, const std::vector<ledger::SubjectKey>& keys,
                   const Result& taken, ledger::State& state) {
    std::vector<ledger::SubjectKey> entries;
    std::vector<ledger::SubjectKey> refusals;
    for (int i = 0; i < taken.rows(); ++i) {
        const Row row = taken.row(i);
        (row.is_null(1) ? refusals : entries).push_back(keys[place_of(row)]);
    }
    const auto add = [&](const auto& asked, auto&& found, const auto& outcome_of) {
        for (std::size_t i = 0; i < asked.size(); ++i) {
            if (found[i]) {
                state.outcomes.emplace(asked[i], outcome_of(std::move(*found[i])));
            }
        }
    };
    if (!entries.empty()) {
        add(entries, look_up_records(connection, entries),
            [](ledger::Original&& original) { return std::move(original.record); });
    }
    if (!refusals.empty()) {
        add(refusals, look_up_refusals(connection, refusals),
            [](ledger::StoredRefusal&& refusal) { return std::move(refusal); });
    }
}

/// Writes every row of the parameters. Fewer rows are a lie that must not be committed; more are
/// those that the guards' own statements have changed, which MariaDB counts as well.
void write_rows(Connection& connection, const Query& query, const Parameters& parameters) {
    const auto written = connection.write(query, parameters);
    if (written < static_cast<std::int64_t>(parameters.rows())) {
        throw GuardFired(FailureKind::broken, "the database wrote fewer rows");
    }
}

}  // namespace

MariadbWriter::~MariadbWriter() {
    rollback();
}

ledger::State MariadbWriter::begin(const std::vector<ledger::Need>& needs) {
    PASSBOOK_ASSERT(link_.current() == nullptr || !link_.current()->in_transaction());
    return link_.with_fresh([&](Connection& connection) { return begin_on(connection, needs); });
}

ledger::State MariadbWriter::begin_on(Connection& connection,
                                      const std::vector<ledger::Need>& needs) {
    standings_.clear();
    try {
        const auto touched = look_up_touched(connection, originals_of(needs));
        const Wanted wanted = wanted_of(needs, touched);
        ledger::State state = lock_and_load(connection, wanted);
        check_fences(connection);
        load_more(connection, wanted, state);
        failpoint("mariadb_after_begin");
        load_due_holds(connection, state);
        return state;
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

/// A round trip of its own, where there are fences at all.
void MariadbWriter::check_fences(Connection& connection) {
    if (carried().empty()) {
        return;
    }
    const Result unmoved =
        connection.ask(queries().lock_fences, Parameters().text(json_of(carried())));
    if (static_cast<std::size_t>(unmoved.row(0).integer(0)) != carried().size()) {
        throw StaleFence();
    }
}

/// An account that is not there may be opened, and what a decision takes of its asset then must
/// stay so: as long as it is not in use, its row is locked. Other batches lock the assets alone
/// that they put; they would wait for each other.
ledger::State MariadbWriter::lock_and_load(Connection& connection, const Wanted& wanted) {
    const std::string accounts = json_of(wanted.accounts);
    const std::string assets = json_of(wanted.assets);
    Parameters parameters;
    if (!wanted.put.empty()) {
        parameters.text(json_of(wanted.put));
    }
    parameters.text(accounts).text(accounts).text(assets).text(json_of(wanted.keys));
    const auto results =
        connection.begin(wanted.put.empty() ? queries().begin : queries().begin_to_put, parameters);
    PASSBOOK_ASSERT(results.size() == (wanted.put.empty() ? 5 : 6));
    const Result* result = &results[results.size() - 4];
    ledger::State state;
    const Instant locked = result[0].row(0).instant(0);
    lock_wait_ = std::chrono::microseconds(locked.micros - result[0].row(0).instant(1).micros);
    state.now = clock_ != nullptr ? clock_->now() : locked;
    // One that was opened since then is read and not locked, so that it may have changed again.
    if (result[1].rows() > result[-1].row(0).integer(0)) {
        throw Conflict("an account was opened while the others were being locked", "opened");
    }
    load_accounts(result[1], state);
    load_assets(result[2], state);
    if (state.accounts.size() < wanted.accounts.size() && has_unused(state)) {
        (void)connection.ask(queries().lock_assets, Parameters().text(assets));
        load_assets(connection.ask(queries().assets, Parameters().text(assets)), state);
    }
    load_outcomes(connection, wanted.keys, result[3], state);
    return state;
}

void MariadbWriter::load_assets(const Result& assets, ledger::State& state) {
    for (int i = 0; i < assets.rows(); ++i) {
        ledger::Asset asset = read_asset(assets.row(i));
        state.assets.insert_or_assign(asset.code, std::move(asset));
    }
}

void MariadbWriter::load_more(Connection& connection, const Wanted& wanted, ledger::State& state) {
    if (!wanted.originals.empty()) {
        keep_originals(wanted, look_up_originals(connection, wanted.originals), state);
    }
    if (!wanted.holds.empty()) {
        keep_holds(connection.ask(queries().holds, Parameters().text(json_of(wanted.holds))),
                   state);
    }
}

void MariadbWriter::load_accounts(const Result& accounts, ledger::State& state) {
    for (int i = 0; i < accounts.rows(); ++i) {
        const Row row = accounts.row(i);
        ledger::Account account = read_account(row);
        if (!state.assets.contains(account.asset)) {
            state.assets.emplace(account.asset, read_asset(row, account_column_count));
        }
        standings_.insert_or_assign(account.id, standing_of(account));
        state.accounts.insert_or_assign(account.id, std::move(account));
    }
}

void MariadbWriter::load_due_holds(Connection& connection, ledger::State& state) {
    const auto due = with_due_holds(state);
    if (!due.empty()) {
        keep_holds(connection.ask(queries().open_holds, Parameters().text(json_of(due))), state);
    }
}

void MariadbWriter::commit(const ledger::Changes& changes) {
    const auto connection = link_.current();
    if (connection == nullptr) {
        throw Failure(FailureKind::unavailable, "the connection of the transaction is gone");
    }
    PASSBOOK_ASSERT(connection->in_transaction());
    try {
        learn_standings(*connection, changes);
        write(*connection, changes);
        failpoint("mariadb_before_commit");
        connection->commit();
    } catch (...) {
        connection->roll_back();
        throw;
    }
    try {
        failpoint("mariadb_after_commit");
    } catch (const Failure& failure) {
        throw Failure(FailureKind::in_doubt, failure.what());  // it is written
    }
}

/// A store that is rebuilt gets entries of accounts that no need has named.
void MariadbWriter::learn_standings(Connection& connection, const ledger::Changes& changes) {
    for (const ledger::Account& account : changes.opened) {
        standings_.insert_or_assign(account.id, standing_of(account));
    }
    const auto unknown = unknown_to(standings_, changes.entries);
    if (unknown.empty()) {
        return;
    }
    const auto asked = Parameters().text(json_of(unknown));
    (void)connection.ask(queries().lock_accounts, asked);
    ledger::State state;
    load_accounts(connection.ask(queries().accounts, asked), state);
}

void MariadbWriter::write(Connection& connection, const ledger::Changes& changes) {
    const Queries& all = queries();
    // What refuses entries out of hand comes before anything is written.
    const Parameters entries = entry_parameters(changes.entries, standings_);
    for (const ledger::Asset& asset : changes.assets) {
        if (connection.write(all.update_asset, parameters_of(asset)) == 0) {
            write_rows(connection, all.insert_asset, parameters_of(asset));
        }
    }
    if (!changes.opened.empty()) {
        write_rows(connection, all.insert_accounts, opened_parameters(changes.opened));
    }
    if (!changes.described.empty()) {
        write_rows(connection, all.describe_accounts, described_parameters(changes.described));
    }
    if (!changes.entries.empty()) {
        write_rows(connection, all.insert_entries, entries);
    }
    failpoint("mariadb_mid_write");
    if (!changes.refusals.empty()) {
        write_rows(connection, all.insert_refusals, refusal_parameters(changes.refusals));
    }
}

void MariadbWriter::rollback() noexcept {
    if (const auto connection = link_.current()) {
        connection->roll_back();
    }
}

void MariadbWriter::confirm() {
    const auto connection = link_.current();
    if (connection == nullptr) {
        throw Failure(FailureKind::unavailable, "the connection to be confirmed is gone");
    }
    PASSBOOK_ASSERT(!connection->in_transaction());
    if (connection->write(queries().confirm, {}) != 1) {
        throw Failure(FailureKind::broken, "the store has no row to confirm a write with");
    }
}

}  // namespace passbook::store::mariadb
