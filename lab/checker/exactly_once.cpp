// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

/// The transactions that the store keeps under each key, in order of their keys.
struct Stored {
    Id subject;
    Id key;
    Id transaction;

    friend auto operator<=>(const Stored&, const Stored&) = default;
};

std::vector<Stored> stored_of(const Index& index) {
    std::vector<Stored> all;
    for (const Journal& journal : index.journals()) {
        for (const Entry& entry : journal.entries) {
            if (entry.key != 0) {
                all.push_back({entry.account, entry.key, entry.transaction});
            }
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

void check_wish(const Index& index, const Wish& wish, std::span<const Stored> stored,
                Findings& findings) {
    const Call* told = wish.told_by == Wish::none ? nullptr : &index.history().calls[wish.told_by];
    if (stored.size() > 1) {
        findings.add(
            2, fmt::format("{} took effect {} times: {} and {}", index.text(wish), stored.size(),
                           index.text(stored[0].transaction), index.text(stored[1].transaction)));
    } else if (told != nullptr && told->verdict == Verdict::ok && stored.empty()) {
        findings.add(1, fmt::format("{} was acknowledged as {}, and is not stored",
                                    index.text(wish), index.text(told->transaction)));
    } else if (told != nullptr && told->verdict == Verdict::ok &&
               stored[0].transaction != told->transaction) {
        findings.add(2,
                     fmt::format("{} was acknowledged as {}, and is stored as {}", index.text(wish),
                                 index.text(told->transaction), index.text(stored[0].transaction)));
    } else if (told != nullptr && told->verdict == Verdict::fail && !stored.empty()) {
        findings.add(1, fmt::format("{} was refused ({}), and took effect as {}", index.text(wish),
                                    index.text(told->code), index.text(stored[0].transaction)));
    }
}

}  // namespace

void check_exactly_once(const Index& index, Findings& findings) {
    if (!index.has_dump()) {
        return;
    }
    const std::vector<Stored> stored = stored_of(index);
    const auto under = [&](Id subject, Id key) {
        const auto first = std::lower_bound(stored.begin(), stored.end(), Stored{subject, key, 0});
        const auto last = std::find_if(first, stored.end(), [&](const Stored& each) {
            return each.subject != subject || each.key != key;
        });
        return std::span(first, last);
    };
    for (const Wish& wish : index.wishes()) {
        check_wish(index, wish, under(wish.subject, wish.key), findings);
    }
    for (const Stored& each : stored) {
        if (index.wish(each.subject, each.key) == nullptr) {
            findings.add(1, fmt::format("{} is stored under key {} of {}, which nobody sent",
                                        index.text(each.transaction), index.text(each.key),
                                        index.text(each.subject)));
        }
    }
}

}  // namespace passbook::lab::checker
