// SPDX-License-Identifier: Apache-2.0
#include "lab/meeting.h"

#include <gtest/gtest.h>
#include <atomic>
#include <stdexcept>

namespace passbook::lab {
namespace {

TEST(Meeting, NobodyGoesOnBeforeAllHaveCome) {
    Meeting meeting(8);
    std::atomic<int> come = 0;
    std::atomic<int> too_early = 0;
    together(8, [&](std::size_t) {
        ++come;
        meeting.wait();
        too_early += come == 8 ? 0 : 1;
    });
    EXPECT_EQ(too_early, 0);
}

TEST(Meeting, WhoIsNotComingIsNotWaitedFor) {
    Meeting meeting(3);
    std::atomic<int> passed = 0;
    together(3, [&](std::size_t n) {
        if (n == 0) {
            meeting.drop();
        } else {
            meeting.wait();
            ++passed;
        }
    });
    EXPECT_EQ(passed, 2);
}

TEST(Together, ThrowsTheFirstErrorOnceAllHaveEnded) {
    std::atomic<int> ended = 0;
    const auto act = [&](std::size_t n) {
        if (n == 1) {
            throw std::runtime_error("one of them");
        }
        ++ended;
    };
    EXPECT_THROW(together(4, act), std::runtime_error);
    EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace passbook::lab
