// SPDX-License-Identifier: Apache-2.0
#include "tests/model/model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/model/book.h"

namespace passbook::model {
namespace {

/// Decides against one state that lives on, as if a single batch never ended.
class EndlessBatch {
public:
    explicit EndlessBatch(const ManualClock& clock) : clock_(clock) {
        state_.assets.emplace(ledger::default_asset().code, ledger::default_asset());
    }

    ledger::Answer operator()(const ledger::Request& request) {
        state_.now = clock_.now();
        ledger::Changes changes;
        ledger::Answer answer = decide(state_, request, changes);
        const auto* record = std::get_if<ledger::Record>(&answer.body);
        if (record != nullptr && !answer.replayed) {
            const ledger::Entry& subject = record->subject();
            const RequestId id{shard_of(subject.account.text()), subject.request->hash};
            state_.originals[id] = {*record, std::vector<Amount>(record->entries.size())};
        }
        return answer;
    }

    [[nodiscard]] const ledger::State& state() const { return state_; }

private:
    const ManualClock& clock_;
    ledger::State state_;
};

RC_GTEST_PROP(Model, AgreesWithTheRulesOnEveryAnswer, (const std::vector<Step>& steps)) {
    ManualClock clock(Instant{0});
    EndlessBatch batch(clock);
    Book book([&](const ledger::Request& request) { return batch(request); }, clock);
    Model model;
    for (const Step& step : steps) {
        const std::string expected = model.apply(step);
        const std::string answer = book.apply(step);
        RC_LOG() << step << " -> " << answer << '\n';
        RC_ASSERT(answer == expected);
    }
    for (const auto& [name, account] : model.books()) {
        const auto& real = batch.state().accounts.at(AccountId::trusted(name));
        RC_ASSERT(real.balance == account.balance);
        RC_ASSERT(real.held == account.held);
        RC_ASSERT(real.balance - real.held >= 0);
    }
}

}  // namespace
}  // namespace passbook::model
