// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unordered_map>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

bool ends_hold(EntryKind kind) {
    return kind == EntryKind::commit || kind == EntryKind::void_hold || kind == EntryKind::expire;
}

/// An ending releases the whole hold, once, and takes no more than it.
void check_ending(const Index& index, const Entry& ending, const Entry* before,
                  Findings& findings) {
    const Entry* opening = index.opening(ending.hold);
    if (opening == nullptr || opening->account != ending.account) {
        findings.add(1, fmt::format("{} ends hold {}, which was never opened", index.text(ending),
                                    index.text(ending.hold)));
    } else if (before != nullptr) {
        findings.add(3, fmt::format("hold {} was ended twice: {} and {}", index.text(ending.hold),
                                    index.text(*before), index.text(ending)));
    } else if (ending.held_change != -opening->held_change) {
        findings.add(
            2, fmt::format("{} releases {} of hold {}, which holds {}", index.text(ending),
                           -ending.held_change, index.text(ending.hold), opening->held_change));
    } else if (-ending.amount > opening->held_change) {
        findings.add(2, fmt::format("{} takes {} of hold {}, which holds {}", index.text(ending),
                                    -ending.amount, index.text(ending.hold), opening->held_change));
    }
}

}  // namespace

void check_holds(const Index& index, Findings& findings) {
    for (const Journal& journal : index.journals()) {
        std::unordered_map<Id, const Entry*> endings;
        std::int64_t open = 0;
        for (const Entry& entry : journal.entries) {
            if (entry.kind == EntryKind::hold) {
                open += entry.held_change;
            } else if (ends_hold(entry.kind) && entry.hold != 0) {
                const auto [found, is_first] = endings.emplace(entry.hold, &entry);
                check_ending(index, entry, is_first ? nullptr : found->second, findings);
                const Entry* opening = index.opening(entry.hold);
                open -= is_first && opening != nullptr ? opening->held_change : 0;
            } else if (entry.held_change != 0) {
                findings.add(1, fmt::format("{} changes what is held, and is no hold or end of one",
                                            index.text(entry)));
            }
        }
        if (journal.row != nullptr && journal.row->held != open) {
            findings.add(1 + journal.entries.size(),
                         fmt::format("account {} holds {}, its open holds come to {}",
                                     index.text(journal.account), journal.row->held, open));
        }
    }
}

}  // namespace passbook::lab::checker
