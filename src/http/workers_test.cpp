// SPDX-License-Identifier: Apache-2.0
#include "http/workers.h"

#include <gtest/gtest.h>
#include <atomic>
#include <future>

namespace passbook::http {
namespace {

TEST(Workers, TakeABurstOfAsManyAsMayRunAndNoMore) {
    std::promise<void> gate;
    const auto opened = gate.get_future().share();
    std::atomic<int> done = 0;
    {
        Workers workers("test", 8, 0);
        for (int i = 0; i < 8; ++i) {
            EXPECT_TRUE(workers.run([&] {
                opened.wait();
                ++done;
            })) << i;
        }
        EXPECT_FALSE(workers.run([&] { ++done; }));
        gate.set_value();
    }
    EXPECT_EQ(done, 8);
}

}  // namespace
}  // namespace passbook::http
