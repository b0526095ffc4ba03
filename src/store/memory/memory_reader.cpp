// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "store/memory/tables.h"

namespace passbook::store::memory {
namespace {

/// A copy of all rows, walked shard by shard.
class MemorySnapshot final : public ShardSnapshot {
public:
    MemorySnapshot(std::shared_ptr<const Rows> copied, Shard shard) : copied_(std::move(copied)) {
        const Rows& rows = *copied_;
        for (const auto& [id, account] : rows.accounts) {
            if (id.shard == shard) {
                accounts_.push_back(account);
            }
        }
        for (const auto& account : accounts_) {
            const auto found = rows.entries.find(account.id);
            if (found == rows.entries.end()) {
                continue;
            }
            entries_.insert(entries_.end(), found->second.begin(), found->second.end());
        }
        for (const auto& [id, hold] : rows.holds) {
            if (shard_of(id.account.text()) == shard) {
                holds_.push_back(hold);
            }
        }
        for (const auto& [slot, refusal] : rows.refusals) {
            if (shard_of(slot.first.text()) == shard) {
                refusals_.push_back(refusal);
            }
        }
    }

    bool next(ledger::Account& account) override {
        return take(accounts_, account_, account);
    }
    bool next(ledger::Entry& entry) override {
        return take(entries_, entry_, entry);
    }
    bool next(ledger::Hold& hold) override {
        return take(holds_, hold_, hold);
    }
    bool next(ledger::StoredRefusal& refusal) override {
        return take(refusals_, refusal_, refusal);
    }

private:
    template <class Row>
    static bool take(const std::vector<Row>& rows, std::size_t& at, Row& row) {
        if (at == rows.size()) {
            return false;
        }
        row = rows[at++];
        return true;
    }

    std::shared_ptr<const Rows> copied_;
    std::vector<ledger::Account> accounts_;
    std::vector<ledger::Entry> entries_;
    std::vector<ledger::Hold> holds_;
    std::vector<ledger::StoredRefusal> refusals_;
    std::size_t account_ = 0;
    std::size_t entry_ = 0;
    std::size_t hold_ = 0;
    std::size_t refusal_ = 0;
};

class MemoryReader final : public Reader {
public:
    explicit MemoryReader(std::shared_ptr<Tables> tables) : tables_(std::move(tables)) {}

    std::vector<ledger::Asset> assets() override {
        const auto lock = shared();
        std::vector<ledger::Asset> assets;
        for (const auto& [_, asset] : rows().assets) {
            assets.push_back(asset);
        }
        return assets;
    }

    std::optional<ledger::Asset> asset(const AssetCode& code) override {
        const auto lock = shared();
        const auto found = rows().assets.find(code);
        if (found == rows().assets.end()) {
            return std::nullopt;
        }
        return found->second;
    }

    std::optional<AccountView> account(const AccountId& id) override {
        const auto lock = shared();
        const ledger::Account* account = rows().account(id);
        if (account == nullptr) {
            return std::nullopt;
        }
        return view_of(*account);
    }

    std::vector<AccountView> accounts(const std::optional<AccountId>& after,
                                      std::size_t limit) override {
        const auto lock = shared();
        std::vector<AccountView> page;
        auto at = after ? rows().accounts.upper_bound(sharded(*after)) : rows().accounts.begin();
        for (; at != rows().accounts.end() && page.size() < limit; ++at) {
            page.push_back(view_of(at->second));
        }
        return page;
    }

    std::vector<ledger::Entry> entries(const AccountId& account, std::int64_t after_seq,
                                       std::size_t limit) override {
        const auto lock = shared();
        std::vector<ledger::Entry> page;
        while (page.size() < limit) {
            const ledger::Entry* entry = rows().entry({account, ++after_seq});
            if (entry == nullptr) {
                break;
            }
            page.push_back(*entry);
        }
        return page;
    }

    std::optional<BalanceAt> balance_at(const AccountId& account, Instant at) override {
        const auto lock = shared();
        if (rows().account(account) == nullptr) {
            return std::nullopt;
        }
        BalanceAt balance;
        const ledger::Entry* entry = rows().entry({account, 1});
        for (; entry != nullptr && entry->recorded_at <= at;
             entry = rows().entry({account, entry->seq + 1})) {
            balance = {entry->balance_after, entry->seq};
        }
        return balance;
    }

    std::optional<BalanceAt> balance_by_effective(const AccountId& account, Instant at) override {
        const auto lock = shared();
        if (rows().account(account) == nullptr) {
            return std::nullopt;
        }
        BalanceAt balance;
        const ledger::Entry* entry = rows().entry({account, 1});
        for (; entry != nullptr; entry = rows().entry({account, entry->seq + 1})) {
            if (entry->effective_at.value_or(entry->recorded_at) > at) {
                continue;
            }
            balance = {balance.balance + entry->amount, entry->seq};
        }
        return balance;
    }

    std::optional<ledger::Original> transaction(const EntryId& id) override {
        const auto lock = shared();
        return rows().original(id);
    }

    std::optional<ledger::Hold> hold(const EntryId& id) override {
        const auto lock = shared();
        const auto found = rows().holds.find(id);
        if (found == rows().holds.end()) {
            return std::nullopt;
        }
        return found->second;
    }

    std::optional<ledger::Outcome> outcome(const ledger::SubjectKey& key) override {
        const auto lock = shared();
        return rows().outcome(key);
    }

    std::unique_ptr<ShardSnapshot> snapshot(Shard shard) override {
        auto copied = snapshot_.lock();
        if (!copied) {
            const auto lock = shared();
            copied = std::make_shared<const Rows>(rows());
            snapshot_ = copied;
        }
        return std::make_unique<MemorySnapshot>(std::move(copied), shard);
    }

    void ping() override {}

private:
    [[nodiscard]] std::shared_lock<std::shared_mutex> shared() const {
        return std::shared_lock(tables_->rows_mutex);
    }
    [[nodiscard]] const Rows& rows() const {
        return tables_->rows;
    }

    [[nodiscard]] AccountView view_of(const ledger::Account& account) const {
        return {account,
                rows().due(account.id, std::max(tables_->clock.now(), account.recorded_at))};
    }

    std::shared_ptr<Tables> tables_;
    std::weak_ptr<const Rows> snapshot_;  ///< Of the snapshots that are open.
};

}  // namespace

std::unique_ptr<Reader> MemoryStore::reader() {
    return std::make_unique<MemoryReader>(tables_);
}

}  // namespace passbook::store::memory
