// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

bool same_command(const Index& index, const Call& a, const Call& b) {
    const auto first = index.legs(a);
    const auto second = index.legs(b);
    return a.op == b.op && a.target == b.target &&
           std::equal(first.begin(), first.end(), second.begin(), second.end());
}

std::string answer_of(const Index& index, const Call& call) {
    return call.verdict == Verdict::ok ? fmt::format("accepted as {}", index.text(call.transaction))
                                       : fmt::format("refused ({})", index.text(call.code));
}

}  // namespace

/// One key stands for one command and has one answer, byte for byte.
void check_replay(const Index& index, Findings& findings) {
    for (const Wish& wish : index.wishes()) {
        if (wish.told_by == Wish::none) {
            continue;
        }
        const Call& told = index.history().calls[wish.told_by];
        for (const std::uint32_t n : wish.calls) {
            const Call& call = index.history().calls[n];
            const bool reused = index.text(call.code) == "idempotency_key_reused";
            const bool same = same_command(index, call, told);
            if (call.verdict == Verdict::info || (reused && !same)) {
                continue;
            }
            if (reused != !same) {
                findings.add(2,
                             fmt::format("{}, sent again with {} command, was {}", index.text(wish),
                                         same ? "the same" : "another", answer_of(index, call)));
            } else if (call.verdict != told.verdict || call.transaction != told.transaction ||
                       call.code != told.code) {
                findings.add(2, fmt::format("{} was {} and {}", index.text(wish),
                                            answer_of(index, told), answer_of(index, call)));
            } else if (call.body != told.body) {
                findings.add(2, fmt::format("{} was {} twice, in other bytes", index.text(wish),
                                            answer_of(index, told)));
            }
        }
    }
}

}  // namespace passbook::lab::checker
