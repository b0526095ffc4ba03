// SPDX-License-Identifier: Apache-2.0
#include "base/planted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace passbook {
namespace {

/// In the order of the enumerators.
constexpr std::array<std::string_view, 19> names{"hold_not_counted",
                                                 "floor_at_the_end",
                                                 "commit_of_any_hold",
                                                 "refund_cap_per_call",
                                                 "account_twice",
                                                 "amount_in_32_bits",
                                                 "key_not_checked",
                                                 "replay_applied_again",
                                                 "replay_without_status",
                                                 "refusal_for_failure",
                                                 "read_outside_transaction",
                                                 "lock_released_early",
                                                 "balance_from_cache",
                                                 "entry_rewritten",
                                                 "refusal_not_kept",
                                                 "effect_rolled_back",
                                                 "retry_with_new_key",
                                                 "commit_not_awaited",
                                                 "lease_rows_not_counted"};
static_assert(names.size() == static_cast<std::size_t>(Bug::lease_rows_not_counted) + 1);

/// The place of the bug that is switched on; beyond all where none is.
std::size_t chosen() {
    const char* name = std::getenv("PASSBOOK_PLANT");
    if (name == nullptr) {
        return names.size();
    }
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        fmt::print(stderr, "PASSBOOK_PLANT: names none of {}\n", fmt::join(names, " "));
        std::exit(2);
    }
    return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

bool planted(Bug bug) noexcept {
    static const std::size_t on = chosen();
    return static_cast<std::size_t>(bug) == on;
}

}  // namespace passbook
