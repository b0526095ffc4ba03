// SPDX-License-Identifier: Apache-2.0
#include "writer/planted_writer.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace passbook::writer {
namespace {

/// Hands everything on. Each planted bug changes one step.
class Through : public store::Writer {
public:
    explicit Through(std::unique_ptr<store::Writer> inner) : inner_(std::move(inner)) {}

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        inner_->carry(carried());
        return inner_->begin(needs);
    }
    [[nodiscard]] std::chrono::microseconds lock_wait() const noexcept override {
        return inner_->lock_wait();
    }
    void commit(const ledger::Changes& changes) override {
        inner_->commit(changes);
    }
    void rollback() noexcept override {
        inner_->rollback();
    }
    void confirm() override {
        inner_->confirm();
    }

protected:
    const std::unique_ptr<store::Writer> inner_;
};

/// So long does who reads outside think before he writes.
constexpr std::chrono::milliseconds gap{2};

class ReadOutside final : public Through {
public:
    using Through::Through;

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        ledger::State state = Through::begin(needs);
        inner_->rollback();
        std::this_thread::sleep_for(gap);
        (void)Through::begin(needs);
        return state;
    }
};

class ReleasedEarly final : public Through {
public:
    using Through::Through;

    void commit(const ledger::Changes& changes) override {
        inner_->rollback();
        std::this_thread::sleep_for(gap);
        (void)Through::begin({});
        inner_->commit(changes);
    }
};

class BalanceFromCache final : public Through {
public:
    using Through::Through;

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        ledger::State state = Through::begin(needs);
        for (auto& [id, account] : state.accounts) {
            account.balance = balances_.emplace(id, account.balance).first->second;
        }
        return state;
    }

private:
    std::unordered_map<AccountId, Amount> balances_;
};

class RefusalNotKept final : public Through {
public:
    using Through::Through;

    void commit(const ledger::Changes& changes) override {
        ledger::Changes others = changes;
        others.refusals.clear();
        if (others.empty()) {
            inner_->rollback();
        } else {
            inner_->commit(others);
        }
    }
};

/// The records that the changes make.
std::vector<ledger::Record> records_of(const ledger::Changes& changes) {
    std::vector<ledger::Record> records;
    for (const ledger::Entry& entry : changes.entries) {
        if (entry.request) {
            records.push_back({{entry}});
        } else if (!records.empty() && entry.subject == records.back().subject().id()) {
            records.back().entries.push_back(entry);
        }
    }
    return records;
}

class EffectRolledBack final : public Through {
public:
    using Through::Through;

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        ledger::State state = Through::begin(needs);
        state.outcomes.insert(known_.begin(), known_.end());
        return state;
    }
    void commit(const ledger::Changes& changes) override {
        for (ledger::Record& record : records_of(changes)) {
            const ledger::Entry& subject = record.subject();
            const ledger::SubjectKey key{subject.account, subject.request->key};
            known_.insert_or_assign(key, std::move(record));
        }
        inner_->commit(changes);
    }

private:
    std::unordered_map<ledger::SubjectKey, ledger::Outcome, ledger::SubjectKeyHash> known_;
};

Key renamed(const Key& key, const std::string& suffix) {
    return Key::trusted(key.text() + suffix);
}

class AppliedAgain final : public Through {
public:
    using Through::Through;

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        ledger::State state = Through::begin(needs);
        known_ = std::exchange(state.outcomes, {});
        return state;
    }
    void commit(const ledger::Changes& changes) override {
        ledger::Changes renewed = changes;
        const std::string suffix = "~" + std::to_string(++times_);
        for (ledger::Entry& entry : renewed.entries) {
            if (entry.request && known_.contains({entry.account, entry.request->key})) {
                entry.request->key = renamed(entry.request->key, suffix);
            }
        }
        for (ledger::StoredRefusal& refusal : renewed.refusals) {
            if (known_.contains({refusal.subject, refusal.request.key})) {
                refusal.request.key = renamed(refusal.request.key, suffix);
            }
        }
        inner_->commit(renewed);
    }

private:
    std::unordered_map<ledger::SubjectKey, ledger::Outcome, ledger::SubjectKeyHash> known_;
    int times_ = 0;
};

class NewKeyOnRetry final : public Through {
public:
    using Through::Through;

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        if (!failed_) {
            return Through::begin(needs);
        }
        suffix_ = "~" + std::to_string(++times_);
        std::vector<ledger::Need> renewed = needs;
        for (ledger::Need& need : renewed) {
            need.key = need.key ? std::optional(renamed(*need.key, suffix_)) : std::nullopt;
        }
        return Through::begin(renewed);
    }
    void commit(const ledger::Changes& changes) override {
        ledger::Changes renewed = changes;
        const std::string suffix = std::exchange(suffix_, "");
        for (ledger::Entry& entry : renewed.entries) {
            if (entry.request) {
                entry.request->key = renamed(entry.request->key, suffix);
            }
        }
        for (ledger::StoredRefusal& refusal : renewed.refusals) {
            refusal.request.key = renamed(refusal.request.key, suffix);
        }
        failed_ = true;
        inner_->commit(renewed);
        failed_ = false;
    }

private:
    bool failed_ = false;
    std::string suffix_;
    int times_ = 0;
};

class CommitNotAwaited final : public Through {
public:
    using Through::Through;

    void commit(const ledger::Changes& changes) override {
        try {
            inner_->commit(changes);
        } catch (const Failure&) {  // nobody is told
        }
    }
};

}  // namespace

std::unique_ptr<store::Writer> with_planted_bug(std::unique_ptr<store::Writer> writer) {
    if (planted(Bug::read_outside_transaction)) {
        return std::make_unique<ReadOutside>(std::move(writer));
    }
    if (planted(Bug::lock_released_early)) {
        return std::make_unique<ReleasedEarly>(std::move(writer));
    }
    if (planted(Bug::balance_from_cache)) {
        return std::make_unique<BalanceFromCache>(std::move(writer));
    }
    if (planted(Bug::refusal_not_kept)) {
        return std::make_unique<RefusalNotKept>(std::move(writer));
    }
    if (planted(Bug::effect_rolled_back)) {
        return std::make_unique<EffectRolledBack>(std::move(writer));
    }
    if (planted(Bug::replay_applied_again)) {
        return std::make_unique<AppliedAgain>(std::move(writer));
    }
    if (planted(Bug::retry_with_new_key)) {
        return std::make_unique<NewKeyOnRetry>(std::move(writer));
    }
    if (planted(Bug::commit_not_awaited)) {
        return std::make_unique<CommitNotAwaited>(std::move(writer));
    }
    return writer;
}

}  // namespace passbook::writer
