// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unordered_map>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

/// What transactions bring in or take out, counted on the account of their first entry: for each
/// account and seq, the sum up to there. On a whole cut, the balances add up to these sums; a leg
/// that is missing shows as their difference.
class Brought {
public:
    explicit Brought(const Index& index) : index_(index) {
        for (const Journal& journal : index.journals()) {
            std::vector<std::int64_t> sums{0};
            for (const Entry& entry : journal.entries) {
                sums.push_back(sums.back() + brought_by(entry));
            }
            sums_.emplace(journal.account, std::move(sums));
        }
    }

    /// Nothing where that account never had that many entries.
    [[nodiscard]] std::optional<std::int64_t> up_to(Id account, std::int64_t seq) const {
        const auto found = sums_.find(account);
        if (seq == 0) {
            return 0;
        }
        if (found == sums_.end() || seq < 0 ||
            static_cast<std::size_t>(seq) >= found->second.size()) {
            return std::nullopt;
        }
        return found->second[static_cast<std::size_t>(seq)];
    }

private:
    [[nodiscard]] std::int64_t brought_by(const Entry& entry) const {
        const auto entries = index_.transaction(entry.transaction);
        if (entries.empty() || entries.front() != &entry) {
            return entries.empty() ? entry.amount : 0;
        }
        std::int64_t net = 0;
        for (const Entry* each : entries) {
            net += each->amount;
        }
        return net;
    }

    const Index& index_;
    std::unordered_map<Id, std::vector<std::int64_t>> sums_;
};

/// A read of every account as of one instant: none of a transaction's entries, or all.
void check_cut(const Index& index, const Brought& brought, const Call& read, Findings& findings) {
    const auto seen = index.seen(read);
    std::int64_t total = 0;
    std::int64_t wanted = 0;
    for (const Seen& state : seen) {
        const auto sum = brought.up_to(state.account, state.seq);
        if (!sum) {
            return;  // A state that never was is told by another rule.
        }
        total += state.balance;
        wanted += *sum;
    }
    if (total != wanted) {
        findings.add(seen.size(), fmt::format("a read of {} accounts at {} adds up to {}, and the "
                                              "transactions up to there to {}",
                                              seen.size(), read.returned, total, wanted));
    }
}

/// The call by which a wish is known to have taken effect, where its effect is all in its legs:
/// what a commit or reversal moves depends on its target, and is told by another rule.
const Call* accepted_as_asked(const Index& index, const Wish* wish) {
    if (wish == nullptr || wish->told_by == Wish::none) {
        return nullptr;
    }
    const Call& call = index.history().calls[wish->told_by];
    const bool as_asked = call.op != Op::commit && call.op != Op::reverse;
    return call.verdict == Verdict::ok && as_asked ? &call : nullptr;
}

/// The rows at the end hold what was accepted, as it was asked; the rest, as it is stored.
void check_end(const Index& index, Findings& findings) {
    std::int64_t total = 0;
    std::int64_t wanted = 0;
    for (const Journal& journal : index.journals()) {
        total += journal.row == nullptr ? 0 : journal.row->balance;
        for (const Entry& entry : journal.entries) {
            const bool is_asked = accepted_as_asked(index, index.maker(entry.transaction));
            wanted += is_asked ? 0 : entry.amount;
        }
    }
    for (const Wish& wish : index.wishes()) {
        if (const Call* call = accepted_as_asked(index, &wish)) {
            for (const Leg& leg : index.legs(*call)) {
                wanted += leg.amount;
            }
        }
    }
    if (total != wanted) {
        findings.add(index.journals().size(),
                     fmt::format("the balances add up to {}, what was accepted to {}: {:+}", total,
                                 wanted, total - wanted));
    }
}

}  // namespace

void check_conservation(const Index& index, Findings& findings) {
    if (!index.has_dump()) {
        return;
    }
    const Brought brought(index);
    for (const Call& call : index.history().calls) {
        if (call.op == Op::read && call.verdict == Verdict::ok &&
            index.seen(call).size() == index.journals().size()) {
            check_cut(index, brought, call, findings);
        }
    }
    check_end(index, findings);
}

}  // namespace passbook::lab::checker
