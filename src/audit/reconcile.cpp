// SPDX-License-Identifier: Apache-2.0
#include "audit/reconcile.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>

#include "audit/account_audit.h"
#include "audit/key_audit.h"

namespace passbook::audit {
namespace {

constexpr std::size_t shards = 256;

ledger::Account blank(std::type_identity<ledger::Account>) {
    return {.id = AccountId::trusted(""), .asset = AssetCode::trusted("")};
}
ledger::Entry blank(std::type_identity<ledger::Entry>) {
    return {.account = AccountId::trusted("")};
}
ledger::Hold blank(std::type_identity<ledger::Hold>) {
    return {.opened = {AccountId::trusted("")}};
}
ledger::StoredRefusal blank(std::type_identity<ledger::StoredRefusal>) {
    return {.subject = AccountId::trusted(""),
            .request = {.key = Key::trusted("")},
            .refusal = {.code = Code::broken}};
}

const AccountId& account_of(const ledger::Account& account) {
    return account.id;
}
const AccountId& account_of(const ledger::Entry& entry) {
    return entry.account;
}
const AccountId& account_of(const ledger::Hold& hold) {
    return hold.opened.account;
}
const AccountId& account_of(const ledger::StoredRefusal& refusal) {
    return refusal.subject;
}

/// One of the four sequences of a shard, with its next row at hand.
template <class Row>
class Cursor {
public:
    Cursor(store::ShardSnapshot& snapshot, std::uint64_t& count)
        : snapshot_(snapshot), count_(count) {
        advance();
    }

    [[nodiscard]] bool at_end() const {
        return !here_;
    }
    [[nodiscard]] bool at(const AccountId& id) const {
        return here_ && account_of(row_) == id;
    }
    [[nodiscard]] const Row& row() const {
        return row_;
    }
    void advance() {
        here_ = snapshot_.next(row_);
        count_ += here_ ? 1 : 0;
    }
    /// The smaller of `id` and the account of the row at hand.
    void lower(std::optional<AccountId>& id) const {
        if (here_ && (!id || account_of(row_) < *id)) {
            id = account_of(row_);
        }
    }

private:
    store::ShardSnapshot& snapshot_;
    std::uint64_t& count_;
    Row row_ = blank(std::type_identity<Row>{});
    bool here_ = false;
};

/// Merges the four sequences of one shard by account.
class ShardWalk {
public:
    ShardWalk(Shard shard, store::Reader& rows, store::Reader& lookups, const Assets& assets,
              KeyAudit& keys, Summary& summary, const Report& report)
        : shard_(shard),
          rows_(rows),
          keys_(keys),
          summary_(summary),
          report_(report),
          audit_(shard, lookups, assets, keys, report),
          snapshot_(rows.snapshot(shard)),
          accounts_(*snapshot_, summary.accounts),
          entries_(*snapshot_, summary.entries),
          holds_(*snapshot_, summary.holds),
          refusals_(*snapshot_, summary.refusals) {}

    void run() {
        while (const auto id = next_account()) {
            if (accounts_.at(*id)) {
                walk_account(*id);
            } else {
                tell_orphans(*id);
            }
        }
    }

private:
    [[nodiscard]] std::optional<AccountId> next_account() const {
        std::optional<AccountId> id;
        accounts_.lower(id);
        entries_.lower(id);
        holds_.lower(id);
        refusals_.lower(id);
        return id;
    }

    void walk_account(const AccountId& id) {
        const ledger::Account& account = accounts_.row();
        AssetTotal& total = summary_.assets[account.asset.text()];
        ++total.accounts;
        total.balance += account.balance;
        total.held += account.held;
        audit_.begin(account);
        for (; entries_.at(id); entries_.advance()) {
            const ledger::Entry& entry = entries_.row();
            total.entries_sum += entry.amount;
            for (; holds_.at(id) && holds_.row().opened.seq <= entry.seq; holds_.advance()) {
                audit_.take(holds_.row());
            }
            audit_.take(entry);
        }
        for (; holds_.at(id); holds_.advance()) {
            audit_.take(holds_.row());
        }
        for (; refusals_.at(id); refusals_.advance()) {
            audit_.take(refusals_.row());
        }
        audit_.finish();
        tell_repeats(id);
        accounts_.advance();
    }

    void tell_repeats(const AccountId& id) {
        for (bool again = true; again;) {
            for (const Repeat& repeat : keys_.repeats()) {
                const auto place = [](std::int64_t seq) {
                    return seq == 0 ? std::string("a refusal") : fmt::format("seq {}", seq);
                };
                say(id, repeat.second_seq, What::key_repeated, "each key once",
                    fmt::format("{} has the key of {}", place(repeat.second_seq),
                                place(repeat.first_seq)));
            }
            again = keys_.next_pass();
            if (again) {
                add_keys_again(id);
            }
        }
    }

    /// Only an account with more keys than are remembered at once comes here.
    void add_keys_again(const AccountId& id) {
        std::uint64_t uncounted = 0;
        const auto snapshot = rows_.snapshot(shard_);
        for (Cursor<ledger::Entry> entry(*snapshot, uncounted); !entry.at_end(); entry.advance()) {
            if (entry.at(id) && entry.row().request) {
                keys_.add(entry.row().request->key, entry.row().seq);
            }
        }
        for (Cursor<ledger::StoredRefusal> refusal(*snapshot, uncounted); !refusal.at_end();
             refusal.advance()) {
            if (refusal.at(id)) {
                keys_.add(refusal.row().request.key, 0);
            }
        }
    }

    void tell_orphans(const AccountId& id) {
        tell_orphans(id, entries_, "entries");
        tell_orphans(id, holds_, "holds");
        tell_orphans(id, refusals_, "refusals");
    }

    template <class Row>
    void tell_orphans(const AccountId& id, Cursor<Row>& cursor, std::string_view rows) {
        std::uint64_t count = 0;
        for (; cursor.at(id); cursor.advance()) {
            ++count;
        }
        if (count > 0) {
            say(id, 0, What::account_missing, "an account", fmt::format("{} {}", count, rows));
        }
    }

    void say(const AccountId& id, std::int64_t seq, What what, std::string expected,
             std::string found) {
        report_(Difference{.shard = shard_,
                           .account = id.text(),
                           .seq = seq == 0 ? std::nullopt : std::optional(seq),
                           .what = what,
                           .expected = std::move(expected),
                           .found = std::move(found)});
    }

    Shard shard_;
    store::Reader& rows_;
    KeyAudit& keys_;
    Summary& summary_;
    const Report& report_;
    AccountAudit audit_;
    std::unique_ptr<store::ShardSnapshot> snapshot_;
    Cursor<ledger::Account> accounts_;
    Cursor<ledger::Entry> entries_;
    Cursor<ledger::Hold> holds_;
    Cursor<ledger::StoredRefusal> refusals_;
};

Assets assets_of(store::Reader& reader) {
    Assets assets;
    for (ledger::Asset& asset : reader.assets()) {
        AssetCode code = asset.code;
        assets.emplace(std::move(code), std::move(asset));
    }
    return assets;
}

}  // namespace

Summary reconcile(store::Store& store, const Report& report, const ReconcileOptions& options) {
    const auto rows = store.reader();
    const auto lookups = store.reader();
    Summary summary;
    KeyAudit keys(options.keys_kept_max);
    const Report counted = [&](const Difference& difference) {
        ++summary.differences;
        report(difference);
    };
    for (std::size_t shard = 0; shard < shards; ++shard) {
        // An asset may have been put while the shards before were walked.
        const Assets assets = assets_of(*lookups);
        ShardWalk(static_cast<Shard>(shard), *rows, *lookups, assets, keys, summary, counted).run();
        options.progress(shard + 1);
    }
    return summary;
}

}  // namespace passbook::audit
