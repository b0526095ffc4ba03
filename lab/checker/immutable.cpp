// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <tuple>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

using Sorted = std::vector<const Entry*>;

auto place_of(const Entry& entry) {
    return std::tie(entry.account, entry.seq);
}

Sorted in_order(const Dump& dump) {
    Sorted sorted;
    for (const Entry& entry : dump.entries) {
        sorted.push_back(&entry);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const Entry* a, const Entry* b) { return place_of(*a) < place_of(*b); });
    return sorted;
}

}  // namespace

/// Each later dump holds every entry of the one before, as it was.
void check_immutable(const Index& index, Findings& findings) {
    const auto& dumps = index.history().dumps;
    Sorted before;
    for (std::size_t n = 0; n < dumps.size(); ++n) {
        Sorted after = in_order(dumps[n]);
        auto at = after.begin();
        for (const Entry* entry : before) {
            while (at != after.end() && place_of(**at) < place_of(*entry)) {
                ++at;
            }
            if (at == after.end() || place_of(**at) != place_of(*entry)) {
                findings.add(1, fmt::format("{} was in dump {}, and is not in dump {}",
                                            index.text(*entry), n, n + 1));
            } else if (**at != *entry) {
                findings.add(2, fmt::format("{} of dump {} is {} in dump {}", index.text(*entry), n,
                                            index.text(**at), n + 1));
            }
        }
        before = std::move(after);
    }
}

}  // namespace passbook::lab::checker
