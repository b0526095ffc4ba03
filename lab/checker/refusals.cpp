// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <unordered_map>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

/// The least that was available in any range of an account's states; each question in O(1).
class LeastAvailable {
public:
    explicit LeastAvailable(const Journal& journal) {
        std::vector<std::int64_t> states{0};
        for (const Entry& entry : journal.entries) {
            states.push_back(states.back() + entry.amount - entry.held_change);
        }
        levels_.push_back(std::move(states));
        for (std::size_t width = 1; 2 * width <= levels_[0].size(); width *= 2) {
            const std::vector<std::int64_t>& below = levels_.back();
            std::vector<std::int64_t> level(levels_[0].size() + 1 - 2 * width);
            for (std::size_t n = 0; n < level.size(); ++n) {
                level[n] = std::min(below[n], below[n + width]);
            }
            levels_.push_back(std::move(level));
        }
    }

    /// Of the states `first` to `last`, both included.
    [[nodiscard]] std::int64_t between(std::size_t first, std::size_t last) const {
        const std::size_t level = static_cast<std::size_t>(std::bit_width(last - first + 1)) - 1;
        return std::min(levels_[level][first],
                        levels_[level][last + 1 - (std::size_t{1} << level)]);
    }

private:
    std::vector<std::vector<std::int64_t>> levels_;
};

/// What the call asked of each account; of a reversal, the most that it can have asked for.
std::vector<Leg> asked(const Index& index, const Call& call) {
    const auto legs = index.legs(call);
    if (call.op != Op::reverse) {
        return {legs.begin(), legs.end()};
    }
    const std::int64_t part = legs.empty() ? 0 : legs.front().amount;
    std::vector<Leg> all;
    for (const Entry* entry : index.transaction(call.target)) {
        const std::int64_t most = part == 0 ? std::abs(entry->amount) : part;
        all.push_back({entry->account, entry->amount > 0 ? -most : most, 0});
    }
    return all;
}

class Refusals {
public:
    explicit Refusals(const Index& index) : index_(index) {}

    /// Whether the account may have had too little for the leg at some moment of the call.
    [[nodiscard]] bool is_justified(const Call& call, const Leg& leg) {
        const Journal* journal = index_.journal(leg.account);
        const std::int64_t takes = leg.held_change - leg.amount;
        if (journal == nullptr || journal->row == nullptr || takes <= 0) {
            return journal == nullptr || journal->row == nullptr;
        }
        if (!journal->row->floor) {
            return false;
        }
        const auto first =
            std::lower_bound(journal->until.begin(), journal->until.end(), call.invoked) -
            journal->until.begin();
        const auto last =
            std::upper_bound(journal->since.begin(), journal->since.end(), call.returned) -
            journal->since.begin() - 1;
        const auto& least = least_of(*journal);
        return first <= last &&
               least.between(static_cast<std::size_t>(first), static_cast<std::size_t>(last)) -
                       takes <
                   *journal->row->floor;
    }

private:
    const LeastAvailable& least_of(const Journal& journal) {
        const auto found = least_.find(journal.account);
        return found != least_.end()
                   ? found->second
                   : least_.emplace(journal.account, LeastAvailable(journal)).first->second;
    }

    const Index& index_;
    std::unordered_map<Id, LeastAvailable> least_;
};

}  // namespace

/// Only of the first answer: a replay is as old as the refusal that it repeats.
void check_refusals(const Index& index, Findings& findings) {
    Refusals refusals(index);
    for (const Wish& wish : index.wishes()) {
        if (wish.told_by == Wish::none || !index.has_dump()) {
            continue;
        }
        Call call = index.history().calls[wish.told_by];
        if (call.verdict != Verdict::fail || index.text(call.code) != "insufficient_balance") {
            continue;
        }
        // An earlier sending without an answer may have been the one that was refused.
        call.invoked = index.history().calls[wish.calls.front()].invoked;
        const std::vector<Leg> legs = asked(index, call);
        if (std::none_of(legs.begin(), legs.end(),
                         [&](const Leg& leg) { return refusals.is_justified(call, leg); })) {
            findings.add(1, fmt::format("{} was refused between {} and {}, and there was always "
                                        "enough",
                                        index.text(wish), call.invoked, call.returned));
        }
    }
}

}  // namespace passbook::lab::checker
