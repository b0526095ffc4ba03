// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/mariadb_writer.h"

#include <algorithm>

#include "base/assert.h"
#include "base/failpoint.h"
#include "base/stopwatch.h"
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
        connection.run("START TRANSACTION");
        const Stopwatch waiting;
        lock(connection, wanted);
        lock_wait_ = waiting.passed();
        ledger::State state = load(connection, wanted);
        failpoint("mariadb_after_begin");
        load_due_holds(connection, state);
        return state;
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

/// An asset that is in use keeps what a decision cannot take back, for ever: its row is locked by
/// those alone who put it. Others would wait there for each other to open accounts.
void MariadbWriter::lock(Connection& connection, const Wanted& wanted) {
    const auto is_known = [&](const AssetCode& code) {
        return used_.contains(code);
    };
    if (!std::all_of(wanted.assets.begin(), wanted.assets.end(), is_known)) {
        learn_used(connection.ask(queries().assets, Parameters().text(json_of(wanted.assets))));
    }
    std::vector<AssetCode> assets;
    for (const AssetCode& code : wanted.assets) {
        if (!is_known(code) || std::binary_search(wanted.put.begin(), wanted.put.end(), code)) {
            assets.push_back(code);
        }
    }
    if (!assets.empty()) {
        (void)connection.ask(queries().lock_assets, Parameters().text(json_of(assets)));
    }
    if (!wanted.accounts.empty()) {
        (void)connection.ask(queries().lock_accounts, Parameters().text(json_of(wanted.accounts)));
    }
}

void MariadbWriter::learn_used(const Result& assets) {
    for (int i = 0; i < assets.rows(); ++i) {
        const ledger::Asset asset = read_asset(assets.row(i));
        if (asset.used) {
            used_.insert(asset.code);
        }
    }
}

ledger::State MariadbWriter::load(Connection& connection, const Wanted& wanted) {
    const Queries& all = queries();
    ledger::State state;
    if (!wanted.accounts.empty()) {
        load_accounts(connection, wanted.accounts, state);
    }
    const Result assets = connection.ask(all.assets, Parameters().text(json_of(wanted.assets)));
    for (int i = 0; i < assets.rows(); ++i) {
        ledger::Asset asset = read_asset(assets.row(i));
        state.assets.insert_or_assign(asset.code, std::move(asset));
    }
    state.now = clock_ != nullptr ? clock_->now() : connection.ask(all.clock).row(0).instant(0);
    if (!wanted.keys.empty()) {
        auto records = look_up_records(connection, wanted.keys);
        auto refusals = look_up_refusals(connection, wanted.keys);
        for (std::size_t i = 0; i < wanted.keys.size(); ++i) {
            if (records[i]) {
                state.outcomes.emplace(wanted.keys[i], std::move(records[i]->record));
            } else if (refusals[i]) {
                state.outcomes.emplace(wanted.keys[i], std::move(*refusals[i]));
            }
        }
    }
    if (!wanted.originals.empty()) {
        auto originals = look_up_originals(connection, wanted.originals);
        for (std::size_t i = 0; i < wanted.originals.size(); ++i) {
            if (originals[i] && is_locked(*originals[i], state)) {
                state.originals.emplace(wanted.originals[i], std::move(*originals[i]));
            }
        }
    }
    if (!wanted.holds.empty()) {
        read_holds(connection.ask(all.holds, Parameters().text(json_of(wanted.holds))), state);
    }
    return state;
}

void MariadbWriter::load_accounts(Connection& connection, const std::vector<AccountPlace>& accounts,
                                  ledger::State& state) {
    const Result result = connection.ask(queries().accounts, Parameters().text(json_of(accounts)));
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

void MariadbWriter::load_due_holds(Connection& connection, ledger::State& state) {
    std::vector<AccountPlace> due;
    for (const auto& [id, account] : state.accounts) {
        if (account.wake_at && *account.wake_at <= std::max(state.now, account.recorded_at)) {
            due.push_back({shard_of(id.text()), id});
        }
    }
    if (!due.empty()) {
        read_holds(connection.ask(queries().open_holds, Parameters().text(json_of(due))), state);
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
    (void)connection.ask(queries().lock_accounts, Parameters().text(json_of(unknown)));
    ledger::State state;
    load_accounts(connection, unknown, state);
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
