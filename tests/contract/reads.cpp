// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>

#include "tests/contract/contract.h"

namespace passbook::contract {
namespace {

using ledger::Command;
using ledger::Grant;
using ledger::Record;
using ledger::Spend;

TEST_P(StoreContract, AccountsArePagedByShardAndIdBytes) {
    std::vector<std::pair<Shard, std::string>> expected;
    for (int i = 0; i < 40; ++i) {
        const auto id = AccountId::trusted(fmt::format("{}{}", i % 2 == 0 ? "a" : "B", i));
        grant(id, 1);
        expected.emplace_back(shard_of(id.text()), id.text());
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::pair<Shard, std::string>> found;
    std::optional<AccountId> after;
    for (;;) {
        const auto page = reader->accounts(after, 7);
        if (page.empty()) {
            break;
        }
        EXPECT_LE(page.size(), 7U);
        for (const auto& view : page) {
            found.emplace_back(shard_of(view.account.id.text()), view.account.id.text());
        }
        after = page.back().account.id;
    }
    EXPECT_EQ(found, expected);
}

TEST_P(StoreContract, EntriesArePagedBySeq) {
    for (int i = 0; i < 10; ++i) {
        grant(alice, i + 1);
    }
    EXPECT_EQ(reader->entries(alice, 0, 4).back().seq, 4);
    const auto page = reader->entries(alice, 4, 100);
    ASSERT_EQ(page.size(), 6U);
    EXPECT_EQ(page.front().seq, 5);
    EXPECT_EQ(page.back().balance_after, 55);
    EXPECT_TRUE(reader->entries(alice, 10, 4).empty());
    EXPECT_TRUE(reader->entries(nobody, 0, 4).empty());
}

TEST_P(StoreContract, UnknownThingsAreNothing) {
    EXPECT_FALSE(reader->asset(AssetCode::trusted("none")).has_value());
    EXPECT_FALSE(reader->account(nobody).has_value());
    EXPECT_FALSE(reader->balance_at(nobody, clock.now()).has_value());
    EXPECT_FALSE(reader->balance_by_effective(nobody, clock.now()).has_value());
    EXPECT_FALSE(reader->transaction({nobody, 1}).has_value());
    EXPECT_FALSE(reader->outcome({nobody, Key::trusted("k")}).has_value());
    EXPECT_TRUE(reader->accounts(std::nullopt, 5).empty());
    reader->ping();
}

TEST_P(StoreContract, EachEntryLeadsToItsTransaction) {
    grant(alice, 100);
    const Record transfer = accepted(ledger::Transfer{alice, bob, 10});
    const Record hold = accepted(ledger::PlaceHold{alice, 10, 60});
    clock.advance_seconds(60);
    const Record spent = accepted(Spend{alice, 1, {}});
    const auto entries = reader->entries(alice, 1, 10);
    ASSERT_EQ(entries.size(), 4U);  // transfer, hold, expire, spend
    using Ids = std::vector<std::optional<EntryId>>;
    Ids ids;
    std::transform(entries.begin(), entries.end(), std::back_inserter(ids), ledger::transaction_of);
    EXPECT_EQ(ids, (Ids{id_of(transfer), id_of(hold), std::nullopt, id_of(spent)}));
    EXPECT_EQ(transaction_of(reader->entries(bob, 0, 10).at(0)), id_of(transfer));
}

TEST_P(StoreContract, ABalanceAtATimeCountsAllThatWasRecordedUntilThen) {
    const Instant start = clock.now();
    (void)run(ledger::PutAccount{.account = alice});
    // Three entries at each of ten instants, one second apart from the first second on.
    for (int second = 1; second <= 10; ++second) {
        clock.advance_seconds(1);
        for (int i = 0; i < 3; ++i) {
            grant(alice, 1);
        }
    }
    EXPECT_EQ(reader->balance_at(alice, start)->balance, 0);
    EXPECT_EQ(reader->balance_at(alice, start)->seq, 0);
    for (int second = 0; second <= 10; ++second) {
        const auto at = reader->balance_at(alice, plus_seconds(start, second));
        EXPECT_EQ(at->balance, 3 * second);
        EXPECT_EQ(at->seq, 3 * second);
        const auto between =
            reader->balance_at(alice, Instant{plus_seconds(start, second).micros + 999'999});
        EXPECT_EQ(between->seq, 3 * second);
    }
    EXPECT_EQ(reader->balance_at(alice, Instant{0})->seq, 0);
}

TEST_P(StoreContract, ABalanceByEffectiveTimeGoesByTheLabel) {
    Command back{.action = Grant{alice, 10, {}}, .key = Key::trusted("a")};
    back.effective_at = Instant{clock.now().micros - 1'000};
    Command ahead{.action = Grant{alice, 20, {}}, .key = Key::trusted("b")};
    ahead.effective_at = Instant{clock.now().micros + 1'000};
    (void)run(back);
    (void)run(ahead);
    grant(alice, 40);
    const auto at = [&](std::int64_t micros) {
        return reader->balance_by_effective(alice, Instant{clock.now().micros + micros})->balance;
    };
    EXPECT_EQ(at(-1'001), 0);
    EXPECT_EQ(at(-1'000), 10);
    EXPECT_EQ(at(0), 50);
    EXPECT_EQ(at(1'000), 70);
}

}  // namespace
}  // namespace passbook::contract
