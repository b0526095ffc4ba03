// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/checker/index.h"

namespace passbook::lab::checker {

/// At every prefix, not only at the end, by the amounts alone: what the entries say of their own
/// balance is for another rule. An account may stand below a floor that was raised later, but
/// nothing may take from it there.
void check_floor(const Index& index, Findings& findings) {
    for (const Journal& journal : index.journals()) {
        if (journal.row == nullptr || !journal.row->floor) {
            continue;
        }
        std::int64_t available = 0;
        for (std::size_t n = 0; n < journal.entries.size(); ++n) {
            const Entry& entry = journal.entries[n];
            available += entry.amount - entry.held_change;
            const bool takes = entry.amount - entry.held_change < 0;
            if (takes && available < *journal.row->floor) {
                findings.add(n + 1, fmt::format("{} leaves {} available, below the floor of {}",
                                                index.text(entry), available, *journal.row->floor));
                break;
            }
        }
    }
}

}  // namespace passbook::lab::checker
