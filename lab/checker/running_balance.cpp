// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

/// 1, 2, 3 … and each entry from the one before it.
void check_entries(const Index& index, const Journal& journal, Findings& findings) {
    std::int64_t balance = 0;
    std::int64_t held = 0;
    for (std::size_t n = 0; n < journal.entries.size(); ++n) {
        const Entry& entry = journal.entries[n];
        const std::string before = n == 0 ? "nothing" : index.text(journal.entries[n - 1]);
        if (entry.seq != static_cast<std::int64_t>(n) + 1) {
            findings.add(2, fmt::format("{} stands where seq {} should, behind {}",
                                        index.text(entry), n + 1, before));
            return;
        }
        balance += entry.amount;
        held += entry.held_change;
        if (entry.balance_after != balance || entry.held_after != held) {
            findings.add(2, fmt::format("{} does not follow from {}: balance {}, held {}",
                                        index.text(entry), before, balance, held));
            return;
        }
    }
}

/// The row is the last entry.
void check_row(const Index& index, const Journal& journal, Findings& findings) {
    if (journal.row == nullptr) {
        findings.add(1, fmt::format("{} has entries and no account", index.text(journal.account)));
        return;
    }
    const AccountRow& row = *journal.row;
    const Entry last = journal.entries.empty() ? Entry{} : journal.entries.back();
    if (row.balance != last.balance_after || row.held != last.held_after || row.seq != last.seq) {
        findings.add(2, fmt::format("account {} says balance {}, held {}, seq {}; its last entry "
                                    "says {}, {}, {}",
                                    index.text(row.account), row.balance, row.held, row.seq,
                                    last.balance_after, last.held_after, last.seq));
    }
}

}  // namespace

void check_running_balance(const Index& index, Findings& findings) {
    for (const Journal& journal : index.journals()) {
        check_entries(index, journal, findings);
        check_row(index, journal, findings);
    }
}

}  // namespace passbook::lab::checker
