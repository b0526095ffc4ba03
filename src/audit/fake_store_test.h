// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ledger/decide.h"
#include "store/store.h"

/// A store of plain vectors, which tests fill with what the ledger decides and then falsify. Only
/// what a reconciliation reads is there; everything else throws.

namespace passbook::audit {

struct Rows {
    std::vector<ledger::Asset> assets;
    std::vector<ledger::Account> accounts;
    std::vector<ledger::Entry> entries;
    std::vector<ledger::Hold> holds;
    std::vector<ledger::StoredRefusal> refusals;
    /// Rows that lie in another shard than their account's id says.
    std::map<std::string, Shard> misplaced;
    /// A transaction that the look-up by id misses.
    std::optional<EntryId> not_found;

    [[nodiscard]] Shard shard_at(const AccountId& id) const {
        const auto found = misplaced.find(id.text());
        return found == misplaced.end() ? shard_of(id.text()) : found->second;
    }

    ledger::Account& account(std::string_view id) {
        return *std::find_if(accounts.begin(), accounts.end(),
                             [&](const ledger::Account& a) { return a.id.text() == id; });
    }
    ledger::Entry& entry(std::string_view id, std::int64_t seq) {
        return *std::find_if(entries.begin(), entries.end(), [&](const ledger::Entry& e) {
            return e.account.text() == id && e.seq == seq;
        });
    }
    ledger::Hold& hold(std::string_view id, std::int64_t opened_seq) {
        return *std::find_if(holds.begin(), holds.end(), [&](const ledger::Hold& h) {
            return h.opened.account.text() == id && h.opened.seq == opened_seq;
        });
    }
};

class FakeSnapshot final : public store::ShardSnapshot {
public:
    FakeSnapshot(const Rows& rows, Shard shard) {
        take(rows.accounts, accounts_, [&](const auto& a) { return rows.shard_at(a.id) == shard; });
        take(rows.entries, entries_,
             [&](const auto& e) { return rows.shard_at(e.account) == shard; });
        take(rows.holds, holds_,
             [&](const auto& h) { return rows.shard_at(h.opened.account) == shard; });
        take(rows.refusals, refusals_,
             [&](const auto& r) { return rows.shard_at(r.subject) == shard; });
        order(accounts_, [](const auto& a) { return std::tie(a.id); });
        order(entries_, [](const auto& e) { return std::tie(e.account, e.seq); });
        order(holds_, [](const auto& h) { return std::tie(h.opened); });
        order(refusals_, [](const auto& r) { return std::tie(r.subject, r.request.key); });
    }

    bool next(ledger::Account& account) override {
        return pop(accounts_, account);
    }
    bool next(ledger::Entry& entry) override {
        return pop(entries_, entry);
    }
    bool next(ledger::Hold& hold) override {
        return pop(holds_, hold);
    }
    bool next(ledger::StoredRefusal& refusal) override {
        return pop(refusals_, refusal);
    }

private:
    /// Sorted backwards, so that the next row is the last.
    template <class Row, class KeyOf>
    static void order(std::vector<Row>& rows, KeyOf key_of) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](const Row& a, const Row& b) { return key_of(b) < key_of(a); });
    }
    template <class Row, class Keep>
    static void take(const std::vector<Row>& from, std::vector<Row>& to, Keep keep) {
        std::copy_if(from.begin(), from.end(), std::back_inserter(to), keep);
    }
    template <class Row>
    static bool pop(std::vector<Row>& rows, Row& row) {
        if (rows.empty()) {
            return false;
        }
        row = std::move(rows.back());
        rows.pop_back();
        return true;
    }

    std::vector<ledger::Account> accounts_;
    std::vector<ledger::Entry> entries_;
    std::vector<ledger::Hold> holds_;
    std::vector<ledger::StoredRefusal> refusals_;
};

class FakeReader final : public store::Reader {
public:
    explicit FakeReader(const Rows& rows) : rows_(rows) {}

    std::vector<ledger::Asset> assets() override {
        return rows_.assets;
    }
    std::optional<store::AccountView> account(const AccountId& id) override {
        for (const ledger::Account& account : rows_.accounts) {
            if (account.id == id) {
                return store::AccountView{account, 0};
            }
        }
        return std::nullopt;
    }
    std::vector<ledger::Entry> entries(const AccountId& account, std::int64_t after_seq,
                                       std::size_t limit) override {
        std::vector<ledger::Entry> found;
        for (const ledger::Entry& entry : rows_.entries) {
            if (entry.account == account && entry.seq > after_seq) {
                found.push_back(entry);
            }
        }
        std::sort(found.begin(), found.end(),
                  [](const auto& a, const auto& b) { return a.seq < b.seq; });
        found.resize(std::min(found.size(), limit),
                     found.empty() ? ledger::Entry{account} : found[0]);
        return found;
    }
    std::optional<ledger::Original> transaction(const EntryId& id) override {
        ledger::Original original;
        if (id == rows_.not_found) {
            return std::nullopt;
        }
        for (const ledger::Entry& entry : rows_.entries) {
            if (entry.id() == id && ledger::transaction_of(entry) == id) {
                original.record.entries.push_back(entry);
            }
        }
        if (original.record.entries.empty()) {
            return std::nullopt;
        }
        for (const ledger::Entry& entry : rows_.entries) {
            if (entry.subject == id) {
                original.record.entries.push_back(entry);
            }
        }
        return original;
    }
    std::unique_ptr<store::ShardSnapshot> snapshot(Shard shard) override {
        return std::make_unique<FakeSnapshot>(rows_, shard);
    }

    std::optional<ledger::Asset> asset(const AssetCode&) override {
        throw std::logic_error("asset");
    }
    std::vector<store::AccountView> accounts(const std::optional<AccountId>&,
                                             std::size_t) override {
        throw std::logic_error("accounts");
    }
    std::optional<store::BalanceAt> balance_at(const AccountId&, Instant) override {
        throw std::logic_error("balance_at");
    }
    std::optional<store::BalanceAt> balance_by_effective(const AccountId&, Instant) override {
        throw std::logic_error("balance_by_effective");
    }
    std::optional<ledger::Hold> hold(const EntryId&) override {
        throw std::logic_error("hold");
    }
    std::optional<ledger::Outcome> outcome(const ledger::SubjectKey&) override {
        throw std::logic_error("outcome");
    }
    void ping() override {}

private:
    const Rows& rows_;
};

class FakeStore final : public store::Store {
public:
    std::string describe() const override {
        return "fake";
    }
    std::size_t writers_max() const override {
        return 0;
    }
    bool shared() const override {
        return false;
    }
    std::unique_ptr<store::Writer> writer() override {
        throw std::logic_error("writer");
    }
    std::unique_ptr<store::Reader> reader() override {
        return std::make_unique<FakeReader>(rows);
    }

    Rows rows;
};

/// Makes rows by the ledger's own rules.
class FakeLedger {
public:
    explicit FakeLedger(Rows& rows) : rows_(rows) {
        state_.now = Instant{1'700'000'000'000'000};
        put_asset(ledger::default_asset());
    }

    void put_asset(const ledger::Asset& asset) {
        rows_.assets.push_back(asset);
        state_.assets.insert_or_assign(asset.code, asset);
    }
    void wait_seconds(std::int64_t seconds) {
        state_.now = plus_seconds(state_.now, seconds);
    }

    /// The id of the transaction; nothing where it was refused, or is none.
    std::optional<EntryId> run(ledger::Action action, std::string_view key = "") {
        ledger::Command command{.action = std::move(action)};
        if (!key.empty()) {
            command.key = Key::trusted(std::string(key));
        }
        const auto request = ledger::prepare(std::move(command));
        if (!request) {
            throw std::logic_error(request.error().detail);
        }
        ledger::Changes changes;
        const ledger::Answer answer = ledger::decide(state_, *request, changes);
        if (const auto* rejection = std::get_if<ledger::Rejection>(&answer.body)) {
            throw std::logic_error(rejection->detail);
        }
        keep(changes);
        const auto* record = std::get_if<ledger::Record>(&answer.body);
        const auto id = record == nullptr ? std::nullopt : transaction_of(record->subject());
        if (id) {
            state_.originals[*id] = {*record, std::vector<Amount>(record->entries.size())};
        }
        return id;
    }

private:
    void keep(const ledger::Changes& changes) {
        rows_.entries.insert(rows_.entries.end(), changes.entries.begin(), changes.entries.end());
        rows_.refusals.insert(rows_.refusals.end(), changes.refusals.begin(),
                              changes.refusals.end());
        rows_.accounts.clear();
        for (const auto& [id, account] : state_.accounts) {
            rows_.accounts.push_back(account);
            rows_.accounts.back().wake_at.reset();
        }
        rows_.holds.clear();
        for (const auto& [id, hold] : state_.holds) {
            rows_.holds.push_back(hold);
            if (hold.status == ledger::HoldStatus::open) {
                auto& wake_at = rows_.account(id.account.text()).wake_at;
                wake_at = wake_at ? std::min(*wake_at, hold.expires_at) : hold.expires_at;
            }
        }
    }

    Rows& rows_;
    ledger::State state_;
};

}  // namespace passbook::audit
