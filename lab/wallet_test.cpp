// SPDX-License-Identifier: Apache-2.0
#include "lab/wallet.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace passbook::lab {
namespace {

class WalletTest : public testing::Test {
protected:
    std::unique_ptr<Place> place = sqlite_place("");
    Stage stage{*place};
};

TEST_F(WalletTest, NobodyWaitsForAnActorThatFails) {
    const Protection failing{.open = [](Stage& on, std::int64_t opening) {
        return plain_wallet(on, opening, [](Actor& actor, const Ask& ask) {
            if (ask.amount < 0) {
                throw std::runtime_error("no disk");
            }
            actor.has_read();
            return Answer::accepted;
        });
    }};
    EXPECT_THROW(
        (void)play(stage, failing, {.opening = 5, .amounts = {1, -1, 1}, .meet = Meet::after_read}),
        std::runtime_error);
}

TEST(Judge, TellsTooManyAcceptedFromAWrongSum) {
    Round right{.accepted = 1, .balance = 5, .entries_sum = 5};
    judge(right, 1, 5);
    EXPECT_TRUE(right.failure.empty());
    Round too_many{.accepted = 2, .balance = 5, .entries_sum = 2};
    judge(too_many, 1, 5);
    EXPECT_EQ(too_many.failure.in(Language::english), "2 accepted where 1 may be");
    EXPECT_EQ(too_many.failure.in(Language::korean), "1건만 받아야 하는데 2건을 받음");
    Round unlike{.accepted = 1, .balance = 4, .entries_sum = 5};
    judge(unlike, 1, 5);
    EXPECT_EQ(unlike.failure.in(Language::english), "balance and entries should be 5");
}

}  // namespace
}  // namespace passbook::lab
