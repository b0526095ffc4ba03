// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/lookups.h"

#include <fmt/format.h>
#include <algorithm>

#include "store/sqlite/rows.h"

namespace passbook::store::sqlite {
namespace {

Statement select(Connection& connection, std::string_view columns, std::string_view rest) {
    return Statement(connection, fmt::format("SELECT {} FROM {}", columns, rest));
}

std::int64_t number(Shard shard) {
    return shard;
}

/// As the first three parameters. The account must stay while the statement is stepped.
void bind_place(Statement& statement, const AccountId& account, std::int64_t seq) {
    statement.bind(1, number(shard_of(account.text())));
    statement.bind(2, std::string_view(account.text()));
    statement.bind(3, seq);
}

/// Kinds whose request may have entries on other accounts.
bool may_have_legs(ledger::EntryKind kind) {
    return kind == ledger::EntryKind::transfer || kind == ledger::EntryKind::transaction ||
           kind == ledger::EntryKind::reverse || kind == ledger::EntryKind::commit;
}

}  // namespace

Lookups::Lookups(Connection& connection)
    : asset_(select(connection, asset_columns, "assets WHERE code = ?1")),
      // One account needs no search for its greatest seq first: the last row in order is it.
      account_(select(connection, account_columns,
                      "accounts a LEFT JOIN entries e ON e.shard = a.shard AND e.account = a.id "
                      "WHERE a.shard = ?1 AND a.id = ?2 ORDER BY e.seq DESC LIMIT 1")),
      entry_by_key_(select(connection, entry_columns,
                           "entries WHERE shard = ?1 AND account = ?2 AND key = ?3")),
      entry_(select(connection, entry_columns,
                    "entries WHERE shard = ?1 AND account = ?2 AND seq = ?3")),
      legs_(select(connection, entry_columns,
                   "entries WHERE subject_shard = ?1 AND subject = ?2 AND subject_seq = ?3")),
      reversed_(connection,
                "SELECT coalesce(sum(amount), 0) FROM entries WHERE shard = ?1 AND "
                "account = ?2 AND reverses = ?3"),
      refusal_(select(connection, refusal_columns,
                      "refusals WHERE shard = ?1 AND subject = ?2 AND key = ?3")),
      hold_(select(connection, hold_columns,
                   "holds WHERE shard = ?1 AND account = ?2 AND opened_seq = ?3")),
      open_holds_(select(connection, hold_columns,
                         "holds WHERE shard = ?1 AND account = ?2 AND status = 1")) {}

std::optional<ledger::Asset> Lookups::asset(const AssetCode& code) {
    const Resetting resetting(asset_);
    asset_.bind(1, std::string_view(code.text()));
    if (!asset_.step()) {
        return std::nullopt;
    }
    return read_asset(asset_);
}

std::optional<ledger::Account> Lookups::account(Shard shard, const AccountId& id) {
    const Resetting resetting(account_);
    account_.bind(1, number(shard));
    account_.bind(2, std::string_view(id.text()));
    if (!account_.step()) {
        return std::nullopt;
    }
    return read_account(account_);
}

std::optional<ledger::Outcome> Lookups::outcome(Shard shard, const ledger::SubjectKey& key) {
    {
        const Resetting resetting(entry_by_key_);
        entry_by_key_.bind(1, number(shard));
        entry_by_key_.bind(2, std::string_view(key.subject.text()));
        entry_by_key_.bind(3, std::string_view(key.key.text()));
        if (entry_by_key_.step()) {
            ledger::Record record{{read_entry(entry_by_key_)}};
            add_legs(record);
            return record;
        }
    }
    const Resetting resetting(refusal_);
    refusal_.bind(1, number(shard));
    refusal_.bind(2, std::string_view(key.subject.text()));
    refusal_.bind(3, std::string_view(key.key.text()));
    if (!refusal_.step()) {
        return std::nullopt;
    }
    return read_refusal(refusal_);
}

std::optional<ledger::Original> Lookups::original(const EntryId& id) {
    ledger::Original original;
    {
        const Resetting resetting(entry_);
        bind_place(entry_, id.account, id.seq);
        if (!entry_.step()) {
            return std::nullopt;
        }
        original.record.entries.push_back(read_entry(entry_));
    }
    if (!original.record.subject().request) {
        return std::nullopt;
    }
    add_legs(original.record);
    for (const ledger::Entry& entry : original.record.entries) {
        original.reversed.push_back(reversed(entry));
    }
    return original;
}

std::optional<ledger::Hold> Lookups::hold(const EntryId& id) {
    const Resetting resetting(hold_);
    bind_place(hold_, id.account, id.seq);
    if (!hold_.step()) {
        return std::nullopt;
    }
    return read_hold(hold_);
}

std::vector<ledger::Hold> Lookups::open_holds(Shard shard, const AccountId& account) {
    const Resetting resetting(open_holds_);
    open_holds_.bind(1, number(shard));
    open_holds_.bind(2, std::string_view(account.text()));
    std::vector<ledger::Hold> holds;
    while (open_holds_.step()) {
        holds.push_back(read_hold(open_holds_));
    }
    return holds;
}

void Lookups::add_legs(ledger::Record& record) {
    const ledger::Entry subject = record.subject();
    if (!may_have_legs(subject.kind)) {
        return;
    }
    const Resetting resetting(legs_);
    bind_place(legs_, subject.account, subject.seq);
    while (legs_.step()) {
        record.entries.push_back(read_entry(legs_));
    }
    std::sort(record.entries.begin() + 1, record.entries.end(),
              [](const auto& a, const auto& b) { return a.account < b.account; });
}

Amount Lookups::reversed(const ledger::Entry& entry) {
    const Resetting resetting(reversed_);
    bind_place(reversed_, entry.account, entry.seq);
    return reversed_.step() ? reversed_.integer(0) : 0;
}

}  // namespace passbook::store::sqlite
