// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/writes.h"

#include <initializer_list>
#include <span>

#include "store/entry_columns.h"

namespace passbook::store::mariadb {
namespace {

using Type = Column::Type;

std::string_view view(const std::string& text) {
    return text;
}

std::int64_t number(Shard shard) {
    return shard;
}

Parameters all_of(std::initializer_list<Column*> columns) {
    Parameters all;
    for (Column* column : columns) {
        all.column(std::move(*column));
    }
    return all;
}

/// The columns of `insert_entries`, in its order.
class EntryColumns {
public:
    void add(const ledger::Entry& entry, const Standing& before, const Standing& after) {
        shard_.add(number(after.shard));
        account_.add(view(entry.account.text()));
        seq_.add(entry.seq);
        kind_.add(static_cast<std::int64_t>(entry.kind));
        amount_.add(entry.amount);
        held_change_.add(entry.held_change);
        balance_after_.add(entry.balance_after);
        held_after_.add(entry.held_after);
        recorded_at_.add(entry.recorded_at);
        status_.add(static_cast<std::int64_t>(after.status));
        floor_.add(after.limits.floor);
        ceiling_.add(after.limits.ceiling);
        effective_at_.add(entry.effective_at);
        add_request(entry, key_, fingerprint_, format_);
        add_subject(entry, subject_shard_, subject_, subject_seq_);
        target_.add(entry.target);
        reverses_.add(entry.reverses);
        expires_at_.add(entry.expires_at);
        reason_.add_or_null(entry.reason);
        metadata_.add_or_null(entry.metadata);
        add_previous(entry, before);
    }

    Parameters take() {
        return all_of(
            {&shard_,       &account_,       &seq_,          &kind_,        &amount_,
             &held_change_, &balance_after_, &held_after_,   &recorded_at_, &status_,
             &floor_,       &ceiling_,       &effective_at_, &key_,         &fingerprint_,
             &format_,      &subject_shard_, &subject_,      &subject_seq_, &target_,
             &reverses_,    &expires_at_,    &reason_,       &metadata_,    &previous_at_});
    }

private:
    /// What the foreign key then compares; the guard looks at the first entry of an account, and at
    /// those that change its status or limits.
    void add_previous(const ledger::Entry& entry, const Standing& before) {
        if (entry.seq > 1 && entry.kind < ledger::EntryKind::freeze) {
            previous_at_.add(before.recorded_at);
        } else {
            previous_at_.add_null();
        }
    }

    Column shard_{Type::number};
    Column account_{Type::text};
    Column seq_{Type::number};
    Column kind_{Type::number};
    Column amount_{Type::number};
    Column held_change_{Type::number};
    Column balance_after_{Type::number};
    Column held_after_{Type::number};
    Column recorded_at_{Type::number};
    Column status_{Type::number};
    Column floor_{Type::number};
    Column ceiling_{Type::number};
    Column effective_at_{Type::number};
    Column key_{Type::text};
    Column fingerprint_{Type::bytes};
    Column format_{Type::number};
    Column subject_shard_{Type::number};
    Column subject_{Type::text};
    Column subject_seq_{Type::number};
    Column target_{Type::number};
    Column reverses_{Type::number};
    Column expires_at_{Type::number};
    Column reason_{Type::text};
    Column metadata_{Type::text};
    Column previous_at_{Type::number};
};

}  // namespace

Parameters parameters_of(const ledger::Asset& asset) {
    Parameters parameters;
    parameters.integer(std::int64_t{asset.scale})
        .integer(std::int64_t{asset.balanced})
        .integer(std::int64_t{asset.open_on_first_credit})
        .integer(asset.floor)
        .integer(asset.ceiling)
        .text(asset.code.text());
    return parameters;
}

Parameters opened_parameters(const std::vector<ledger::Account>& accounts) {
    Column shards(Type::number);
    Column ids(Type::text);
    Column assets(Type::text);
    Column opened_at(Type::number);
    Column floors(Type::number);
    Column ceilings(Type::number);
    Column metadata(Type::text);
    for (const auto& [shard, account] : opened_in_order(accounts)) {
        shards.add(number(shard));
        ids.add(view(account->id.text()));
        assets.add(view(account->asset.text()));
        opened_at.add(account->opened_at);
        floors.add(account->opening_limits.floor);
        ceilings.add(account->opening_limits.ceiling);
        metadata.add_or_null(account->metadata);
    }
    return all_of({&shards, &ids, &assets, &opened_at, &floors, &ceilings, &metadata});
}

Parameters described_parameters(const std::vector<ledger::Account>& accounts) {
    Column metadata(Type::text);
    Column shards(Type::number);
    Column ids(Type::text);
    for (const auto& [id, text] : metadata_by_account(accounts)) {
        metadata.add_or_null(*text);
        shards.add(number(shard_of(id.text())));
        ids.add(view(id.text()));
    }
    return all_of({&metadata, &shards, &ids});
}

Parameters entry_parameters(const std::vector<ledger::Entry>& entries, Standings& standings) {
    EntryColumns columns;
    for (const StandingEntry& written : entries_in_order(entries, standings)) {
        columns.add(*written.entry, written.before, written.after);
    }
    return columns.take();
}

Parameters refusal_parameters(const std::vector<ledger::StoredRefusal>& refusals) {
    Column shards(Type::number);
    Column subjects(Type::text);
    Column keys(Type::text);
    Column fingerprints(Type::bytes);
    Column formats(Type::number);
    Column codes(Type::number);
    Column at_accounts(Type::text);
    Column numbers[3]{Column(Type::number), Column(Type::number), Column(Type::number)};
    Column recorded_at(Type::number);
    for (const ledger::StoredRefusal& stored : refusals) {
        shards.add(number(shard_of(stored.subject.text())));
        subjects.add(view(stored.subject.text()));
        keys.add(view(stored.request.key.text()));
        fingerprints.add(std::span(stored.request.fingerprint));
        formats.add(std::int64_t{stored.request.format});
        codes.add(static_cast<std::int64_t>(stored.refusal.code));
        if (stored.refusal.account) {
            at_accounts.add(view(stored.refusal.account->text()));
        } else {
            at_accounts.add_null();
        }
        for (std::size_t i = 0; i < 3; ++i) {
            numbers[i].add(stored.refusal.numbers[i]);
        }
        recorded_at.add(stored.recorded_at);
    }
    return all_of({&shards, &subjects, &keys, &fingerprints, &formats, &codes, &at_accounts,
                   &numbers[0], &numbers[1], &numbers[2], &recorded_at});
}

}  // namespace passbook::store::mariadb
