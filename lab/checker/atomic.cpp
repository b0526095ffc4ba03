// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <tuple>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

std::vector<Leg> in_order(std::vector<Leg> legs) {
    std::sort(legs.begin(), legs.end(), [](const Leg& a, const Leg& b) {
        return std::tie(a.account, a.amount, a.held_change) <
               std::tie(b.account, b.amount, b.held_change);
    });
    return legs;
}

std::vector<Leg> stored_legs(std::span<const Entry* const> entries) {
    std::vector<Leg> legs;
    for (const Entry* entry : entries) {
        legs.push_back({entry->account, entry->amount, entry->held_change});
    }
    return in_order(std::move(legs));
}

std::string text_of(const Index& index, const std::vector<Leg>& legs) {
    std::string out;
    for (const Leg& leg : legs) {
        out +=
            fmt::format("{}{} {:+}", out.empty() ? "" : ", ", index.text(leg.account), leg.amount);
        if (leg.held_change != 0) {
            out += fmt::format(" (held {:+})", leg.held_change);
        }
    }
    return out.empty() ? "nothing" : out;
}

/// A commit posts what it says, or all that is held where it says 0, and a commit or void releases
/// the whole hold.
std::vector<Leg> ending_of_hold(const Index& index, const Call& call) {
    std::vector<Leg> legs(index.legs(call).begin(), index.legs(call).end());
    const Entry* opening = index.opening(call.target);
    if (opening == nullptr || legs.empty()) {
        return legs;
    }
    legs[0].held_change = -opening->held_change;
    if (call.op == Op::commit && legs[0].amount == 0) {
        legs[0].amount = -opening->held_change;
    }
    if (legs.size() > 1) {
        legs[1].amount = -legs[0].amount;
    }
    return legs;
}

/// Of the opposite sign on each account of its target, and within it.
bool takes_back(const std::vector<Leg>& stored, const std::vector<Leg>& target) {
    return stored.size() == target.size() &&
           std::equal(stored.begin(), stored.end(), target.begin(),
                      [&](const Leg& s, const Leg& t) {
                          const bool opposite =
                              s.amount == 0 ? t.amount == 0 : (s.amount > 0) != (t.amount > 0);
                          return s.account == t.account && opposite &&
                                 std::abs(s.amount) <= std::abs(t.amount);
                      });
}

void check_call(const Index& index, const Wish& wish, const Call& call, Findings& findings) {
    const std::vector<Leg> stored = stored_legs(index.transaction(call.transaction));
    if (stored.empty()) {
        return;  // That it is lost is told by another rule.
    }
    if (call.op == Op::reverse) {
        const std::vector<Leg> target = stored_legs(index.transaction(call.target));
        if (!takes_back(stored, target)) {
            findings.add(2, fmt::format("{}: {} should take back {}, and is {}", index.text(wish),
                                        index.text(call.transaction), text_of(index, target),
                                        text_of(index, stored)));
        }
        return;
    }
    const bool ends_hold = call.op == Op::commit || call.op == Op::void_hold;
    const std::vector<Leg> wanted =
        in_order(ends_hold ? ending_of_hold(index, call)
                           : std::vector<Leg>(index.legs(call).begin(), index.legs(call).end()));
    if (stored != wanted) {
        findings.add(1 + stored.size(),
                     fmt::format("{}: {} should be {}, and is {}", index.text(wish),
                                 index.text(call.transaction), text_of(index, wanted),
                                 text_of(index, stored)));
    }
}

void check_balanced(const Index& index, Findings& findings) {
    std::map<std::pair<Id, Id>, std::int64_t> sums;  // By transaction and asset.
    for (const Journal& journal : index.journals()) {
        const Id asset = journal.row == nullptr ? 0 : journal.row->balanced_asset;
        for (const Entry& entry : journal.entries) {
            if (asset != 0 && entry.transaction != 0) {
                sums[{entry.transaction, asset}] += entry.amount;
            }
        }
    }
    for (const auto& [where, sum] : sums) {
        if (sum != 0) {
            const auto entries = index.transaction(where.first);
            findings.add(
                entries.size(),
                fmt::format("{} adds up to {:+} in {}: {}", index.text(where.first), sum,
                            index.text(where.second), text_of(index, stored_legs(entries))));
        }
    }
}

}  // namespace

void check_atomic(const Index& index, Findings& findings) {
    for (const Wish& wish : index.wishes()) {
        if (wish.told_by != Wish::none) {
            const Call& call = index.history().calls[wish.told_by];
            if (call.verdict == Verdict::ok) {
                check_call(index, wish, call, findings);
            }
        }
    }
    check_balanced(index, findings);
}

}  // namespace passbook::lab::checker
