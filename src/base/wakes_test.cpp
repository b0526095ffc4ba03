// SPDX-License-Identifier: Apache-2.0
#include "base/wakes.h"

#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace passbook {
namespace {

TEST(Wakes, AreDoneAtTheEndOfTheWorkInOrder) {
    std::string done;
    {
        const Wakes wakes;
        Wakes::at_end([&done] { done += 'a'; });
        Wakes::at_end([&done] { done += 'b'; });
        EXPECT_EQ(done, "");
    }
    EXPECT_EQ(done, "ab");
}

TEST(Wakes, WithoutWorkAreDoneAtOnce) {
    bool done = false;
    Wakes::at_end([&done] { done = true; });
    EXPECT_TRUE(done);
}

TEST(Wakes, OfAnotherThreadAreNotPutOff) {
    bool done = false;
    const Wakes wakes;
    std::thread([&done] {
        Wakes::at_end([&done] { done = true; });
        EXPECT_TRUE(done);
    }).join();
}

TEST(Wakes, OfWorkWithinWorkAreDoneWithIt) {
    std::string done;
    const Wakes wakes;
    {
        const Wakes inner;
        Wakes::at_end([&done] { done += 'i'; });
    }
    Wakes::at_end([&done] { done += 'o'; });
    EXPECT_EQ(done, "i");
}

}  // namespace
}  // namespace passbook
