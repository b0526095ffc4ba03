// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/writes.h"

#include <gtest/gtest.h>
#include <functional>

namespace passbook::store::postgres {
namespace {

constexpr std::size_t plain_columns = 15;
constexpr std::size_t whole_columns = 24;

std::size_t columns_of(const ledger::Entry& entry, Rows rows) {
    const StandingEntry written{.entry = &entry, .before = {}, .after = {}};
    return entry_parameters({&written}, rows, Reach::all_shards).values().size();
}

Rows rows_for(const ledger::Entry& entry) {
    const ledger::Entry plain{.account = AccountId::trusted("alice")};
    const StandingEntry first{.entry = &plain, .before = {}, .after = {}};
    const StandingEntry second{.entry = &entry, .before = {}, .after = {}};
    return rows_of({&first, &second});
}

TEST(Writes, AnEntryIsPlainWithoutWhatPlainRowsLeaveOut) {
    const ledger::Entry plain{.account = AccountId::trusted("alice")};
    EXPECT_EQ(rows_for(plain), Rows::plain);
    EXPECT_EQ(columns_of(plain, Rows::plain), plain_columns);
    EXPECT_EQ(columns_of(plain, Rows::whole), whole_columns);

    const std::function<void(ledger::Entry&)> more[] = {
        [](ledger::Entry& entry) { entry.effective_at = Instant{1}; },
        [](ledger::Entry& entry) { entry.subject = EntryId{AccountId::trusted("bob"), 1}; },
        [](ledger::Entry& entry) { entry.target = 1; },
        [](ledger::Entry& entry) { entry.reverses = 1; },
        [](ledger::Entry& entry) { entry.expires_at = Instant{1}; },
        [](ledger::Entry& entry) { entry.reason = "gift"; },
        [](ledger::Entry& entry) { entry.metadata = "{}"; },
    };
    for (const auto& add : more) {
        ledger::Entry entry = plain;
        add(entry);
        EXPECT_EQ(rows_for(entry), Rows::whole) << &add - more;
    }
}

}  // namespace
}  // namespace passbook::store::postgres
