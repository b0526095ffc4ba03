// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/sqlite_writer.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/assert.h"
#include "base/failpoint.h"
#include "base/planted.h"
#include "base/stopwatch.h"

namespace passbook::store::sqlite {
namespace {

std::string_view view(const std::string& text) {
    return text;
}
std::int64_t number(Shard shard) {
    return shard;
}

struct Place {
    Shard shard = 0;
    const AccountId* account = nullptr;

    friend bool operator<(const Place& a, const Place& b) {
        return a.shard != b.shard ? a.shard < b.shard : *a.account < *b.account;
    }
};

const AccountId* account_of(const ledger::Need& need) {
    return need.subject ? &*need.subject : nullptr;
}
const AccountId* account_of(const ledger::Entry& entry) {
    return &entry.account;
}

/// In the order of the tables' keys, those of one account as given: a batch then visits each page
/// once and while it is at hand, not in a random walk over the whole store.
template <class T>
std::vector<const T*> in_table_order(const std::vector<T>& items) {
    static const AccountId none = AccountId::trusted("");
    std::vector<std::pair<Place, const T*>> placed;
    placed.reserve(items.size());
    for (const T& item : items) {
        const AccountId* account = account_of(item);
        placed.emplace_back(account ? Place{shard_of(account->text()), account} : Place{0, &none},
                            &item);
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const T*> ordered;
    ordered.reserve(items.size());
    for (const auto& [place, item] : placed) {
        ordered.push_back(item);
    }
    return ordered;
}

}  // namespace

SqliteWriter::SqliteWriter(Connection& connection, const Clock& clock)
    : connection_(connection),
      clock_(clock),
      lookups_(connection),
      begin_(connection, "BEGIN IMMEDIATE"),
      commit_(connection, "COMMIT"),
      fence_(connection, "SELECT 1 FROM leases WHERE shard = ?1 AND key = ?2 AND fence = ?3"),
      update_asset_(connection,
                    "UPDATE assets SET scale = ?2, balanced = ?3, open_on_first_credit = ?4, "
                    "floor = ?5, ceiling = ?6 WHERE code = ?1"),
      insert_asset_(connection,
                    "INSERT INTO assets (code, scale, balanced, open_on_first_credit, floor, "
                    "ceiling, used) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)"),
      insert_account_(connection,
                      "INSERT INTO accounts (shard, id, asset, opened_at, opening_floor, "
                      "opening_ceiling, metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
      update_metadata_(connection,
                       "UPDATE accounts SET metadata = ?3 WHERE shard = ?1 AND id = ?2"),
      // OR ROLLBACK, as the guards do: no journal for the statement, which costs more than they.
      insert_entry_(
          connection,
          "INSERT OR ROLLBACK INTO entries (shard, account, seq, kind, amount, held_change, "
          "balance_after, held_after, recorded_at, effective_at, key, fingerprint, "
          "format, subject_shard, subject, subject_seq, target, reverses, expires_at, floor, "
          "ceiling, reason, metadata, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
          "?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)"),
      insert_refusal_(connection,
                      "INSERT INTO refusals (shard, subject, key, fingerprint, format, code, "
                      "at_account, n1, n2, n3, recorded_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
                      "?8, ?9, ?10, ?11)") {}

SqliteWriter::~SqliteWriter() {
    rollback();
}

ledger::State SqliteWriter::begin(const std::vector<ledger::Need>& needs) {
    PASSBOOK_ASSERT(!connection_.in_transaction());
    standings_.clear();
    const Stopwatch waiting;
    begin_.run();
    lock_wait_ = waiting.passed();
    try {
        failpoint("sqlite_after_begin");
        check_fences();
        ledger::State state;
        state.now = clock_.now();
        for (const ledger::Need* need : in_table_order(needs)) {
            load(state, *need);
        }
        load_asset(state, ledger::default_asset().code);
        return state;
    } catch (...) {
        rollback();
        throw;
    }
}

void SqliteWriter::commit(const ledger::Changes& changes) {
    PASSBOOK_ASSERT(connection_.in_transaction());
    try {
        write(changes);
        failpoint("sqlite_before_commit");
        commit_.run(During::commit);
    } catch (...) {
        rollback();
        throw;
    }
    try {
        failpoint("sqlite_after_commit");
    } catch (const Failure& failure) {
        throw Failure(FailureKind::in_doubt, failure.what());  // it is written
    }
}

void SqliteWriter::rollback() noexcept {
    connection_.roll_back();
}

void SqliteWriter::check_fences() {
    for (const Fence& fence : carried()) {
        fence_.bind(1, number(shard_of(fence.key)));
        fence_.bind(2, view(fence.key));
        fence_.bind(3, fence.number);
        if (!fence_.step()) {
            throw StaleFence();
        }
        fence_.reset();
    }
}

void SqliteWriter::load(ledger::State& state, const ledger::Need& need) {
    for (const AccountId& id : need.accounts) {
        load_account(state, id);
    }
    if (need.original) {
        load_original(state, *need.original);
    }
    if (need.hold) {
        load_hold(state, *need.hold);
    }
    for (const AssetCode& code : need.assets) {
        load_asset(state, code);
    }
    // Where the subject does not exist its keys cannot: a refusal, too, opens it first.
    if (!need.subject || !need.key || !state.accounts.contains(*need.subject)) {
        return;
    }
    ledger::SubjectKey key{*need.subject, *need.key};
    if (state.outcomes.contains(key)) {
        return;
    }
    if (auto outcome = lookups_.outcome(standing(*need.subject).shard, key)) {
        state.outcomes.emplace(std::move(key), std::move(*outcome));
    }
}

void SqliteWriter::load_original(ledger::State& state, const EntryId& id) {
    auto original = lookups_.original(id);
    if (!original) {
        return;
    }
    for (const auto& entry : original->record.entries) {
        load_account(state, entry.account);
    }
    state.originals.insert_or_assign(id, std::move(*original));
}

void SqliteWriter::load_hold(ledger::State& state, const EntryId& id) {
    if (auto hold = lookups_.hold(id)) {
        state.holds.insert_or_assign(id, std::move(*hold));
    }
}

void SqliteWriter::load_account(ledger::State& state, const AccountId& id) {
    if (state.accounts.contains(id)) {
        return;
    }
    const Shard shard = shard_of(id.text());
    auto account = lookups_.account(shard, id);
    if (!account) {
        return;
    }
    load_asset(state, account->asset);
    standings_.insert_or_assign(id, standing_of(*account));
    if (account->wake_at && *account->wake_at <= std::max(state.now, account->recorded_at)) {
        for (ledger::Hold& hold : lookups_.open_holds(shard, id)) {
            state.holds.insert_or_assign(hold.opened, std::move(hold));
        }
    }
    state.accounts.emplace(id, std::move(*account));
}

void SqliteWriter::load_asset(ledger::State& state, const AssetCode& code) {
    if (state.assets.contains(code)) {
        return;
    }
    if (auto asset = lookups_.asset(code)) {
        state.assets.emplace(code, std::move(*asset));
    }
}

void SqliteWriter::write(const ledger::Changes& changes) {
    for (const auto& asset : changes.assets) {
        put(asset);
    }
    for (const auto& account : changes.opened) {
        open(account);
    }
    for (const auto& account : changes.described) {
        describe(account);
    }
    for (const ledger::Entry* entry : in_table_order(changes.entries)) {
        add(*entry);
    }
    failpoint("sqlite_mid_write");
    for (const auto& refusal : changes.refusals) {
        keep(refusal);
    }
}

void SqliteWriter::put(const ledger::Asset& asset) {
    for (Statement* statement : {&update_asset_, &insert_asset_}) {
        statement->bind(1, view(asset.code.text()));
        statement->bind(2, std::int64_t{asset.scale});
        statement->bind(3, std::int64_t{asset.balanced});
        statement->bind(4, std::int64_t{asset.open_on_first_credit});
        statement->bind(5, asset.floor);
        statement->bind(6, asset.ceiling);
        statement->run();
        if (connection_.changes() == 1) {
            return;
        }
    }
}

void SqliteWriter::open(const ledger::Account& account) {
    insert_account_.bind(1, number(shard_of(account.id.text())));
    insert_account_.bind(2, view(account.id.text()));
    insert_account_.bind(3, view(account.asset.text()));
    insert_account_.bind(4, account.opened_at);
    insert_account_.bind(5, account.opening_limits.floor);
    insert_account_.bind(6, account.opening_limits.ceiling);
    insert_account_.bind_or_null(7, account.metadata);
    insert_account_.run();
    standings_.insert_or_assign(account.id, standing_of(account));
}

void SqliteWriter::describe(const ledger::Account& account) {
    update_metadata_.bind(1, number(shard_of(account.id.text())));
    update_metadata_.bind(2, view(account.id.text()));
    update_metadata_.bind_or_null(3, account.metadata);
    update_metadata_.run();
    PASSBOOK_ASSERT(connection_.changes() == 1);
}

Standing& SqliteWriter::standing(const AccountId& id) {
    const auto found = standings_.find(id);
    if (found != standings_.end()) {
        return found->second;
    }
    const Shard shard = shard_of(id.text());
    const auto account = lookups_.account(shard, id);
    if (!account) {
        throw GuardFired(FailureKind::broken,
                         "an entry on account " + id.text() + ", which does not exist");
    }
    return standings_.emplace(id, standing_of(*account)).first->second;
}

void SqliteWriter::add(const ledger::Entry& entry) {
    Standing& after = standing(entry.account);
    follow(after, entry);
    Statement& row = insert_entry_;
    row.bind(1, number(after.shard));
    row.bind(2, view(entry.account.text()));
    row.bind(3, entry.seq);
    row.bind(4, static_cast<std::int64_t>(entry.kind));
    row.bind(5, entry.amount);
    row.bind(6, entry.held_change);
    row.bind(7, entry.balance_after);
    row.bind(8, entry.held_after);
    row.bind(9, entry.recorded_at);
    row.bind(10, entry.effective_at);
    if (entry.request) {
        row.bind(11, view(entry.request->key.text()));
        row.bind(12, std::span(entry.request->fingerprint));
        row.bind(13, std::int64_t{entry.request->format});
    } else {
        for (int at = 11; at <= 13; ++at) {
            row.bind(at, std::nullopt);
        }
    }
    if (entry.subject) {
        row.bind(14, number(shard_of(entry.subject->account.text())));
        row.bind(15, view(entry.subject->account.text()));
        row.bind(16, entry.subject->seq);
    } else {
        for (int at = 14; at <= 16; ++at) {
            row.bind(at, std::nullopt);
        }
    }
    row.bind(17, entry.target);
    row.bind(18, entry.reverses);
    row.bind(19, entry.expires_at);
    row.bind(20, after.limits.floor);
    row.bind(21, after.limits.ceiling);
    row.bind_or_null(22, entry.reason);
    row.bind_or_null(23, entry.metadata);
    row.bind(24, static_cast<std::int64_t>(after.status));
    row.run();
    if (planted(Bug::entry_rewritten) && entry.reverses) {
        connection_.run(fmt::format(
            "UPDATE entries SET amount = 0 WHERE shard = {} AND account = '{}' AND seq = {}",
            after.shard, entry.account.text(), *entry.reverses));
    }
}

void SqliteWriter::keep(const ledger::StoredRefusal& stored) {
    const auto& [code, account, numbers] = stored.refusal;
    insert_refusal_.bind(1, number(shard_of(stored.subject.text())));
    insert_refusal_.bind(2, view(stored.subject.text()));
    insert_refusal_.bind(3, view(stored.request.key.text()));
    insert_refusal_.bind(4, std::span(stored.request.fingerprint));
    insert_refusal_.bind(5, std::int64_t{stored.request.format});
    insert_refusal_.bind(6, static_cast<std::int64_t>(code));
    if (account) {
        insert_refusal_.bind(7, view(account->text()));
    } else {
        insert_refusal_.bind(7, std::nullopt);
    }
    insert_refusal_.bind(8, numbers[0]);
    insert_refusal_.bind(9, numbers[1]);
    insert_refusal_.bind(10, numbers[2]);
    insert_refusal_.bind(11, stored.recorded_at);
    insert_refusal_.run();
}

}  // namespace passbook::store::sqlite
