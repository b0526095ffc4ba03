// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/writes.h"

#include <algorithm>
#include <map>
#include <span>

#include "store/entry_columns.h"

namespace passbook::store::postgres {
namespace {

std::string_view view(const std::string& text) {
    return text;
}

bool is_plain(const ledger::Entry& entry) {
    return !entry.effective_at && !entry.subject && !entry.target && !entry.reverses &&
           !entry.expires_at && entry.reason.empty() && entry.metadata.empty();
}

/// The columns of `insert_plain_entries` and `insert_entries`, in their order.
class EntryArrays {
public:
    EntryArrays(Reach reach, Rows rows) : rows_(rows), shard_(reach) {}

    void add(const ledger::Entry& entry, const Standing& after) {
        shard_.add(after.shard);
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
        add_request(entry, key_, fingerprint_, format_);
        if (rows_ == Rows::whole) {
            add_rest(entry);
        }
    }

    Parameters take() {
        Parameters all = std::move(shard_).begin();
        for (Array* array :
             {&account_, &seq_, &kind_, &amount_, &held_change_, &balance_after_, &held_after_,
              &recorded_at_, &status_, &floor_, &ceiling_, &key_, &fingerprint_, &format_}) {
            all.array(std::move(*array));
        }
        if (rows_ == Rows::whole) {
            for (Array* array : {&effective_at_, &subject_shard_, &subject_, &subject_seq_,
                                 &target_, &reverses_, &expires_at_, &reason_, &metadata_}) {
                all.array(std::move(*array));
            }
        }
        return all;
    }

private:
    void add_rest(const ledger::Entry& entry) {
        effective_at_.add(entry.effective_at);
        add_subject(entry, subject_shard_, subject_, subject_seq_);
        target_.add(entry.target);
        reverses_.add(entry.reverses);
        expires_at_.add(entry.expires_at);
        reason_.add_or_null(entry.reason);
        metadata_.add_or_null(entry.metadata);
    }

    Rows rows_;
    ShardColumn shard_;
    Array account_{Type::text};
    Array seq_{Type::bigint};
    Array kind_{Type::smallint};
    Array amount_{Type::bigint};
    Array held_change_{Type::bigint};
    Array balance_after_{Type::bigint};
    Array held_after_{Type::bigint};
    Array recorded_at_{Type::timestamptz};
    Array status_{Type::smallint};
    Array floor_{Type::bigint};
    Array ceiling_{Type::bigint};
    Array key_{Type::text};
    Array fingerprint_{Type::bytea};
    Array format_{Type::smallint};
    Array effective_at_{Type::timestamptz};
    Array subject_shard_{Type::smallint};
    Array subject_{Type::text};
    Array subject_seq_{Type::bigint};
    Array target_{Type::bigint};
    Array reverses_{Type::bigint};
    Array expires_at_{Type::timestamptz};
    Array reason_{Type::text};
    Array metadata_{Type::text};
};

}  // namespace

Parameters parameters_of(const ledger::Asset& asset) {
    Parameters parameters;
    parameters.text(asset.code.text())
        .smallint(asset.scale)
        .boolean(asset.balanced)
        .boolean(asset.open_on_first_credit)
        .bigint(asset.floor)
        .bigint(asset.ceiling);
    return parameters;
}

Items<ledger::Account> opened_items(const std::vector<ledger::Account>& opened) {
    Items<ledger::Account> items;
    for (const auto& [_, account] : opened_in_order(opened)) {
        items.push_back(account);
    }
    return items;
}

Items<ledger::Account> last_described(const std::vector<ledger::Account>& accounts) {
    std::map<AccountId, const ledger::Account*> last;
    for (const ledger::Account& account : accounts) {
        last.insert_or_assign(account.id, &account);
    }
    Items<ledger::Account> items;
    for (const auto& [_, account] : last) {
        items.push_back(account);
    }
    return items;
}

Parameters opened_parameters(const Items<ledger::Account>& accounts, Reach reach) {
    ShardColumn shards(reach);
    Array ids(Type::text);
    Array assets(Type::text);
    Array opened_at(Type::timestamptz);
    Array floors(Type::bigint);
    Array ceilings(Type::bigint);
    Array metadata(Type::text);
    for (const ledger::Account* account : accounts) {
        shards.add(shard_at(*account));
        ids.add(view(account->id.text()));
        assets.add(view(account->asset.text()));
        opened_at.add(account->opened_at);
        floors.add(account->opening_limits.floor);
        ceilings.add(account->opening_limits.ceiling);
        metadata.add_or_null(account->metadata);
    }
    Parameters all = std::move(shards).begin();
    for (Array* array : {&ids, &assets, &opened_at, &floors, &ceilings, &metadata}) {
        all.array(std::move(*array));
    }
    return all;
}

Parameters described_parameters(const Items<ledger::Account>& accounts, Reach reach) {
    ShardColumn shards(reach);
    Array ids(Type::text);
    Array metadata(Type::text);
    for (const ledger::Account* account : accounts) {
        shards.add(shard_at(*account));
        ids.add(view(account->id.text()));
        metadata.add_or_null(account->metadata);
    }
    Parameters all = std::move(shards).begin();
    all.array(std::move(ids)).array(std::move(metadata));
    return all;
}

Rows rows_of(const Items<StandingEntry>& entries) {
    return std::all_of(entries.begin(), entries.end(),
                       [](const StandingEntry* written) { return is_plain(*written->entry); })
               ? Rows::plain
               : Rows::whole;
}

Parameters entry_parameters(const Items<StandingEntry>& entries, Rows rows, Reach reach) {
    EntryArrays arrays(reach, rows);
    for (const StandingEntry* written : entries) {
        arrays.add(*written->entry, written->after);
    }
    return arrays.take();
}

Parameters append_parameters(const std::vector<StandingEntry>& entries) {
    Array shards(Type::smallint);
    Array accounts(Type::text);
    const AccountId* last = nullptr;
    for (const StandingEntry& written : entries) {
        if (last == nullptr || *last != written.entry->account) {
            last = &written.entry->account;
            shards.add(std::int64_t{written.after.shard});
            accounts.add(view(last->text()));
        }
    }
    Parameters all = entry_parameters(items_of(entries), Rows::plain, Reach::all_shards);
    all.array(std::move(shards)).array(std::move(accounts));
    return all;
}

Parameters refusal_parameters(const Items<ledger::StoredRefusal>& refusals, Reach reach) {
    ShardColumn shards(reach);
    Array subjects(Type::text);
    Array keys(Type::text);
    Array fingerprints(Type::bytea);
    Array formats(Type::smallint);
    Array codes(Type::smallint);
    Array at_accounts(Type::text);
    Array numbers[3]{Array(Type::bigint), Array(Type::bigint), Array(Type::bigint)};
    Array recorded_at(Type::timestamptz);
    for (const ledger::StoredRefusal* stored : refusals) {
        shards.add(shard_at(*stored));
        subjects.add(view(stored->subject.text()));
        keys.add(view(stored->request.key.text()));
        fingerprints.add(std::span(stored->request.fingerprint));
        formats.add(std::int64_t{stored->request.format});
        codes.add(static_cast<std::int64_t>(stored->refusal.code));
        if (stored->refusal.account) {
            at_accounts.add(view(stored->refusal.account->text()));
        } else {
            at_accounts.add_null();
        }
        for (std::size_t i = 0; i < 3; ++i) {
            numbers[i].add(stored->refusal.numbers[i]);
        }
        recorded_at.add(stored->recorded_at);
    }
    Parameters all = std::move(shards).begin();
    for (Array* array : {&subjects, &keys, &fingerprints, &formats, &codes, &at_accounts,
                         &numbers[0], &numbers[1], &numbers[2], &recorded_at}) {
        all.array(std::move(*array));
    }
    return all;
}

}  // namespace passbook::store::postgres
