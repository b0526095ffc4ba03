// SPDX-License-Identifier: Apache-2.0
#include "lab/checker/history.h"

namespace passbook::lab::checker {

Id Names::id(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) {
        return found->second;
    }
    const Id next = static_cast<Id>(texts_.size());
    texts_.emplace_back(text);
    ids_.emplace(texts_.back(), next);
    return next;
}

}  // namespace passbook::lab::checker
