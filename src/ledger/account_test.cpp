// SPDX-License-Identifier: Apache-2.0
#include "ledger/account.h"

#include <gtest/gtest.h>
#include <vector>

namespace passbook::ledger {
namespace {

using enum EntryKind;

struct Row {
    const char* name;
    Amount balance;
    Amount held;
    Limits limits;
    AccountStatus status;
    EntryKind kind;
    Amount amount;
    Amount held_change;
    std::optional<Code> refused;  ///< Nothing: it moves.
};

constexpr auto open = AccountStatus::open;
constexpr auto frozen = AccountStatus::frozen;
constexpr auto closed = AccountStatus::closed;
constexpr Limits floor_0{.floor = 0, .ceiling = {}};
constexpr Limits none{};

const std::vector<Row> rows{
    {"spend to the floor", 30, 0, floor_0, open, spend, -30, 0, {}},
    {"spend past the floor", 29, 0, floor_0, open, spend, -30, 0, Code::insufficient_balance},
    {"what is held cannot be spent", 30, 1, floor_0, open, spend, -30, 0,
     Code::insufficient_balance},
    {"no floor", 0, 0, none, open, spend, -30, 0, {}},
    {"floor below zero", 0, 0, {-30, {}}, open, spend, -30, 0, {}},
    {"past a floor below zero", 0, 0, {-30, {}}, open, spend, -31, 0, Code::insufficient_balance},
    {"hold to the floor", 30, 0, floor_0, open, hold, 0, 30, {}},
    {"hold past the floor", 30, 10, floor_0, open, hold, 0, 21, Code::insufficient_balance},
    {"credit to the ceiling", 0, 0, {0, 100}, open, grant, 100, 0, {}},
    {"credit past the ceiling", 1, 0, {0, 100}, open, grant, 100, 0, Code::ceiling_exceeded},
    {"a debit asks no ceiling", 200, 0, {0, 100}, open, spend, -1, 0, {}},
    {"a credit asks no floor", -200, 0, {0, {}}, open, grant, 1, 0, {}},
    {"commit takes what was held", 30, 30, floor_0, open, commit, -30, -30, {}},
    {"commit in part gives the rest back", 30, 30, floor_0, open, commit, -10, -30, {}},
    {"range upwards", amount_max, 0, none, open, grant, 1, 0, Code::balance_out_of_range},
    {"range downwards", -amount_max, 0, none, open, spend, -1, 0, Code::balance_out_of_range},
    {"range of available", -amount_max, 0, none, open, hold, 0, 1, Code::balance_out_of_range},
    {"frozen takes no credit", 0, 0, floor_0, frozen, grant, 1, 0, Code::account_frozen},
    {"frozen takes no hold", 9, 0, floor_0, frozen, hold, 0, 1, Code::account_frozen},
    {"frozen takes no commit", 9, 9, floor_0, frozen, commit, -9, -9, Code::account_frozen},
    {"frozen takes no reversal", 9, 0, floor_0, frozen, reverse, 1, 0, Code::account_frozen},
    {"frozen lets a hold go", 9, 9, floor_0, frozen, void_hold, 0, -9, {}},
    {"frozen lets a hold expire", 9, 9, floor_0, frozen, expire, 0, -9, {}},
    {"frozen thaws", 9, 9, floor_0, frozen, unfreeze, 0, 0, {}},
    {"frozen before floor", 0, 0, floor_0, frozen, spend, -1, 0, Code::account_frozen},
    {"closed takes nothing", 0, 0, floor_0, closed, grant, 1, 0, Code::account_closed},
    {"closed stays closed", 0, 0, floor_0, closed, unfreeze, 0, 0, Code::account_closed},
    {"close empty", 0, 0, floor_0, open, close, 0, 0, {}},
    {"close with a balance", 1, 0, floor_0, open, close, 0, 0, Code::account_not_empty},
    {"close with a debt", -1, 0, none, open, close, 0, 0, Code::account_not_empty},
    {"close while held", 0, 1, none, open, close, 0, 0, Code::account_not_empty},
};

Account account_of(const Row& row) {
    Account account{.id = AccountId::trusted("a"), .asset = AssetCode::trusted("point")};
    account.balance = row.balance;
    account.held = row.held;
    account.limits = row.limits;
    account.status = row.status;
    account.seq = 7;
    return account;
}

TEST(AccountMoves, OnlyAsItsStatusFloorAndCeilingAllow) {
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        const Account before = account_of(row);
        Move move{.account = before.id};
        move.kind = row.kind;
        move.amount = row.amount;
        move.held_change = row.held_change;
        const auto after = moved(before, move);
        ASSERT_EQ(after.has_value(), !row.refused.has_value());
        if (!after) {
            EXPECT_EQ(after.error().code, *row.refused);
            EXPECT_EQ(after.error().account, before.id);
            continue;
        }
        EXPECT_EQ(after->seq, 8);
        EXPECT_EQ(after->balance, row.balance + row.amount);
        EXPECT_EQ(after->held, row.held + row.held_change);
    }
}

TEST(AccountMoves, ChangesItsStatusByFreezeUnfreezeAndClose) {
    const Row empty{"", 0, 0, floor_0, open, freeze, 0, 0, {}};
    Account account = account_of(empty);
    for (const auto& [kind, status] :
         {std::pair{freeze, frozen}, {unfreeze, open}, {close, closed}}) {
        Move move{.account = account.id};
        move.kind = kind;
        const auto after = moved(account, move);
        ASSERT_TRUE(after.has_value());
        EXPECT_EQ(after->status, status);
        account = *after;
    }
}

TEST(AccountMoves, ItsLimitsOnlyToWhereItIs) {
    struct Case {
        Limits to;
        bool fits;
    };
    const Row held{"", 50, 20, floor_0, open, limits, 0, 0, {}};
    const Account before = account_of(held);
    for (const Case& to :
         {Case{{30, 50}, true}, {{31, 50}, false}, {{30, 49}, false}, {none, true}}) {
        Move move{.account = before.id};
        move.kind = limits;
        move.limits = to.to;
        const auto after = moved(before, move);
        ASSERT_EQ(after.has_value(), to.fits);
        if (after) {
            EXPECT_EQ(after->limits, to.to);
        } else {
            EXPECT_EQ(after.error().code, Code::limit_in_use);
        }
    }
}

TEST(RefusalDetail, IsBuiltFromItsNumbers) {
    const Row row{"", 29, 4, floor_0, open, spend, -30, 0, {}};
    Move move{.account = AccountId::trusted("a")};
    move.kind = spend;
    move.amount = -30;
    const auto after = moved(account_of(row), move);
    ASSERT_FALSE(after.has_value());
    EXPECT_EQ(detail(after.error()), "Account a has 25 available and a floor of 0; 30 was asked.");
}

}  // namespace
}  // namespace passbook::ledger
