// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/assert.h"
#include "base/stopwatch.h"
#include "store/memory/tables.h"

namespace passbook::store::memory {
namespace {

/// Copies what the needs name out of the rows.
class Loading {
public:
    Loading(const Rows& rows, Instant now) : rows_(rows) {
        state_.now = now;
    }

    void load(const ledger::Need& need) {
        for (const AccountId& id : need.accounts) {
            load_account(id);
        }
        if (need.original) {
            load_original(*need.original);
        }
        if (need.hold) {
            load_hold(*need.hold);
        }
        for (const AssetCode& code : need.assets) {
            load_asset(code);
        }
        if (need.subject && need.key) {
            const ledger::SubjectKey key{*need.subject, *need.key};
            if (auto outcome = rows_.outcome(key)) {
                state_.outcomes.insert_or_assign(key, std::move(*outcome));
            }
        }
    }

    ledger::State take() {
        load_asset(ledger::default_asset().code);
        return std::move(state_);
    }

private:
    void load_original(const EntryId& id) {
        auto original = rows_.original(id);
        if (!original) {
            return;
        }
        for (const auto& entry : original->record.entries) {
            load_account(entry.account);
        }
        state_.originals.insert_or_assign(id, std::move(*original));
    }

    void load_hold(const EntryId& id) {
        if (const auto hold = rows_.holds.find(id); hold != rows_.holds.end()) {
            state_.holds.insert_or_assign(id, hold->second);
        }
    }

    void load_account(const AccountId& id) {
        const ledger::Account* account = rows_.account(id);
        if (account == nullptr || !state_.accounts.emplace(id, *account).second) {
            return;
        }
        load_asset(account->asset);
        if (!account->wake_at || *account->wake_at > std::max(state_.now, account->recorded_at)) {
            return;
        }
        for (const auto& [hold_id, hold] : rows_.holds) {
            if (hold.opened.account == id && hold.status == ledger::HoldStatus::open) {
                state_.holds.insert_or_assign(hold_id, hold);
            }
        }
    }

    void load_asset(const AssetCode& code) {
        if (const auto found = rows_.assets.find(code); found != rows_.assets.end()) {
            state_.assets.insert_or_assign(code, found->second);
        }
    }

    const Rows& rows_;
    ledger::State state_;
};

class MemoryWriter final : public Writer, public Sender {
public:
    explicit MemoryWriter(std::shared_ptr<Tables> tables) : tables_(std::move(tables)) {}
    ~MemoryWriter() override {
        rollback();
    }

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        PASSBOOK_ASSERT(!transaction_.owns_lock());
        if (const auto fault = tables_->next_call()) {
            fail_with(*fault);
        }
        const Stopwatch waiting;
        transaction_ = std::unique_lock(tables_->writing);
        lock_wait_ = waiting.passed();
        check_fences();
        Loading loading(tables_->rows, tables_->clock.now());
        for (const ledger::Need& need : needs) {
            loading.load(need);
        }
        return loading.take();
    }

    [[nodiscard]] std::chrono::microseconds lock_wait() const noexcept override {
        return lock_wait_;
    }

    void commit(const ledger::Changes& changes) override {
        PASSBOOK_ASSERT(transaction_.owns_lock());
        const auto ended = std::move(transaction_);
        const auto fault = tables_->next_call();
        if (fault && !fault->took_effect) {
            fail_with(*fault);
        }
        Rows after = tables_->rows;
        apply(after, changes);
        {
            const std::unique_lock lock(tables_->rows_mutex);
            tables_->rows = std::move(after);
        }
        if (fault) {
            fail_with(*fault);
        }
    }

    [[nodiscard]] Sender* sender() noexcept override {
        return this;
    }
    [[nodiscard]] std::uint64_t links() const noexcept override {
        return 1;
    }
    void send(const ledger::State& /*state*/, const ledger::Changes& changes) override {
        PASSBOOK_ASSERT(!transaction_.owns_lock());
        sent_ = changes;
    }
    [[nodiscard]] Instant settle() override {
        transaction_ = std::unique_lock(tables_->writing);
        const Instant now = tables_->clock.now();
        for (ledger::Entry& entry : sent_.entries) {
            entry.recorded_at = std::max(entry.recorded_at, now);
        }
        try {
            commit(sent_);
        } catch (const GuardFired& fired) {
            throw Stale(fired.what());
        }
        return now;
    }

    void rollback() noexcept override {
        if (transaction_.owns_lock()) {
            transaction_.unlock();
        }
    }

    void confirm() override {
        if (const auto fault = tables_->next_call()) {
            fail_with(*fault);
        }
        const std::lock_guard lock(tables_->fault_mutex);
        ++tables_->confirms;
    }

private:
    void check_fences() {
        for (const Fence& fence : carried()) {
            const auto found = tables_->fences.find(fence.key);
            if (found == tables_->fences.end() || found->second != fence.number) {
                rollback();
                throw StaleFence();
            }
        }
    }

    [[noreturn]] static void fail_with(const Fault& fault) {
        if (fault.conflict) {
            throw Conflict("a planned conflict", "planned");
        }
        throw Failure(fault.kind, "a planned fault");
    }

    std::shared_ptr<Tables> tables_;
    std::unique_lock<std::mutex> transaction_;
    ledger::Changes sent_;
    std::chrono::microseconds lock_wait_{0};
};

}  // namespace

std::optional<Fault> Tables::next_call() {
    const std::lock_guard lock(fault_mutex);
    ++calls;
    const bool planned = calls >= fault.at && calls < fault.at + fault.times;
    return planned ? std::optional(fault) : std::nullopt;
}

MemoryStore::MemoryStore(const Clock& clock) : tables_(std::make_shared<Tables>(clock)) {
    const ledger::Asset point = ledger::default_asset();
    tables_->rows.assets.emplace(point.code, point);
}

MemoryStore::~MemoryStore() = default;

std::unique_ptr<Writer> MemoryStore::writer() {
    return std::make_unique<MemoryWriter>(tables_);
}

std::int64_t MemoryStore::mint(const std::string& key) {
    const std::lock_guard lock(tables_->writing);
    return ++tables_->fences[key];
}

void MemoryStore::plan_fault(Fault fault) {
    const std::lock_guard lock(tables_->fault_mutex);
    tables_->fault = fault;
    tables_->calls = 0;
}

int MemoryStore::confirms() const {
    const std::lock_guard lock(tables_->fault_mutex);
    return tables_->confirms;
}

int MemoryStore::calls() const {
    const std::lock_guard lock(tables_->fault_mutex);
    return tables_->calls;
}

}  // namespace passbook::store::memory
