// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>

#include "tests/contract/contract.h"

namespace passbook::contract {
namespace {

using ledger::Account;
using ledger::Entry;

/// Two accounts of one shard, found by trying.
std::pair<AccountId, AccountId> neighbours() {
    const Shard shard = shard_of("n0");
    for (int i = 1;; ++i) {
        const std::string id = fmt::format("n{}", i);
        if (shard_of(id) == shard) {
            return std::minmax(AccountId::trusted("n0"), AccountId::trusted(id));
        }
    }
}

TEST_P(StoreContract, ASnapshotHasAllRowsOfItsShardInOrder) {
    const auto [first, second] = neighbours();
    for (int i = 0; i < 3; ++i) {
        grant(second, 10);
        grant(first, 10);
    }
    const auto late = id_of(accepted(ledger::PlaceHold{first, 1, 60}));
    const auto early = id_of(accepted(ledger::PlaceHold{first, 1, 30}));
    (void)run(ledger::Spend{second, 1000, {}}, "b");
    (void)run(ledger::Spend{second, 1000, {}}, "a");

    const auto snapshot = reader->snapshot(shard_of(first.text()));
    Account account{.id = nobody, .asset = ledger::default_asset().code};
    ASSERT_TRUE(snapshot->next(account));
    EXPECT_EQ(account.id, first);
    EXPECT_EQ(account.balance, 30);
    EXPECT_EQ(account.held, 2);

    // The sequences do not disturb each other.
    Entry entry{.account = nobody};
    for (const std::int64_t seq : {1, 2, 3, 4, 5}) {
        ASSERT_TRUE(snapshot->next(entry));
        EXPECT_EQ(entry.account, first);
        EXPECT_EQ(entry.seq, seq);
    }
    ASSERT_TRUE(snapshot->next(account));
    EXPECT_EQ(account.id, second);
    EXPECT_FALSE(snapshot->next(account));
    EXPECT_FALSE(snapshot->next(account));

    ledger::Hold hold{.opened = {nobody}};
    ASSERT_TRUE(snapshot->next(hold));
    EXPECT_EQ(hold.opened, late);
    ASSERT_TRUE(snapshot->next(hold));
    EXPECT_EQ(hold.opened, early);
    EXPECT_FALSE(snapshot->next(hold));

    ledger::StoredRefusal refusal{.subject = nobody, .request = {.key = Key::trusted("none")}};
    ASSERT_TRUE(snapshot->next(refusal));
    EXPECT_EQ(refusal.request.key.text(), "a");
    ASSERT_TRUE(snapshot->next(refusal));
    EXPECT_EQ(refusal.request.key.text(), "b");
    EXPECT_FALSE(snapshot->next(refusal));
}

TEST_P(StoreContract, ASnapshotDoesNotSeeWhatIsWrittenAfterIt) {
    grant(alice, 10);
    const auto snapshot = reader->snapshot(shard_of(alice.text()));
    grant(alice, 5);
    Account account{.id = nobody, .asset = ledger::default_asset().code};
    ASSERT_TRUE(snapshot->next(account));
    EXPECT_EQ(account.balance, 10);
    Entry entry{.account = nobody};
    EXPECT_TRUE(snapshot->next(entry));
    EXPECT_FALSE(snapshot->next(entry));
    EXPECT_EQ(store.reader()->account(alice)->account.balance, 15);
}

TEST_P(StoreContract, WhileOneSnapshotIsOpenOthersOfItsReaderShowTheSameInstant) {
    grant(alice, 10);
    grant(bob, 10);
    const auto balance_in = [&](const AccountId& id) {
        const auto snapshot = reader->snapshot(shard_of(id.text()));
        Account account{.id = nobody, .asset = ledger::default_asset().code};
        EXPECT_TRUE(snapshot->next(account));
        return account.balance;
    };
    {
        const auto first = reader->snapshot(shard_of(alice.text()));
        grant(alice, 5);
        grant(bob, 5);
        EXPECT_EQ(balance_in(bob), 10);
        EXPECT_EQ(balance_in(alice), 10);
    }
    EXPECT_EQ(balance_in(bob), 15);
}

TEST_P(StoreContract, AShardWithoutRowsIsEmpty) {
    grant(alice, 10);
    const auto other = static_cast<Shard>(shard_of(alice.text()) + 1);
    const auto snapshot = reader->snapshot(other);
    Account account{.id = nobody, .asset = ledger::default_asset().code};
    Entry entry{.account = nobody};
    EXPECT_FALSE(snapshot->next(account));
    EXPECT_FALSE(snapshot->next(entry));
}

}  // namespace
}  // namespace passbook::contract
