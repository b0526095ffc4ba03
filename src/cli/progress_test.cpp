// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <gtest/gtest.h>

namespace passbook::cli {
namespace {

using std::chrono::milliseconds;

TEST(Progress, ShowsShareRowsSpeedAndTheTimeLeft) {
    EXPECT_EQ(progress_line({.label = "importing",
                             .done = 500,
                             .total = 1000,
                             .rows = 41000,
                             .elapsed = milliseconds(2000)}),
              "importing  [############............]  50%  41,000 rows  20,500/s  3 s left");
}

TEST(Progress, BeginsAtNothingWithoutAGuess) {
    EXPECT_EQ(progress_line({.label = "x", .total = 1000}), "x  [........................]   0%");
}

TEST(Progress, EndsFullAndNeverGoesBeyond) {
    const std::string full = "x  [########################] 100%";
    EXPECT_EQ(progress_line({.label = "x", .done = 7, .total = 7}), full);
    EXPECT_EQ(progress_line({.label = "x", .done = 9, .total = 7}), full);
    EXPECT_EQ(progress_line({.label = "x"}), full);
}

TEST(Progress, IsNotFullBeforeTheEnd) {
    const std::string line = progress_line({.label = "x", .done = 999, .total = 1000});
    EXPECT_EQ(line, "x  [#######################.]  99%");
}

TEST(Progress, TakesNumbersThatWouldOverflow) {
    const std::uint64_t most = UINT64_MAX;
    EXPECT_EQ(progress_line({.label = "x", .done = most / 2, .total = most}).substr(0, 34),
              "x  [###########.............]  49%");
}

TEST(Progress, LongWaitsAreToldInMinutes) {
    EXPECT_EQ(
        progress_line({.label = "x", .done = 1, .total = 11, .elapsed = milliseconds(60'000)}),
        "x  [##......................]   9%  11 min left");
}

}  // namespace
}  // namespace passbook::cli
