// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ledger/decide.h"
#include "ledger/request.h"
#include "tests/model/model.h"

namespace passbook::model {

/// The real ledger, driven by the same steps as the model and answering in the same lines.
class Book {
public:
    using Answering = std::function<ledger::Answer(const ledger::Request&)>;

    Book(Answering answering, ManualClock& clock)
        : answering_(std::move(answering)), clock_(clock) {}

    std::string apply(const Step& step);

private:
    [[nodiscard]] ledger::Action action_of(const Step& step) const;
    void remember(const ledger::Record& record);

    Answering answering_;
    ManualClock& clock_;
    std::vector<EntryId> holds_;
    std::vector<EntryId> transactions_;
};

}  // namespace passbook::model
