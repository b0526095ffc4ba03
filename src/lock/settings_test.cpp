// SPDX-License-Identifier: Apache-2.0
#include "lock/settings.h"

#include <gtest/gtest.h>

#include "base/failure.h"

namespace passbook::lock {
namespace {

std::string fault(const Settings& settings) {
    try {
        check(settings);
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "";
}

TEST(LockSettings, TheDefaultsAreGood) {
    EXPECT_EQ(fault({}), "");
}

TEST(LockSettings, NameTheRuleThatTheyBreak) {
    EXPECT_NE(fault({.ttl = Millis(199)}).find("ttl must be"), std::string::npos);
    EXPECT_NE(fault({.ttl = std::chrono::hours(2)}).find("ttl must be"), std::string::npos);
    EXPECT_NE(fault({.margin = Millis(0)}).find("margin"), std::string::npos);
    EXPECT_NE(fault({.io_timeout = Millis(0)}).find("io_timeout"), std::string::npos);
    EXPECT_NE(fault({.ttl = Millis(3'000), .io_timeout = Millis(1'000)}).find("below ttl / 3"),
              std::string::npos);
    EXPECT_NE(fault({.ttl = Millis(3'000), .margin = Millis(1'600), .io_timeout = Millis(500)})
                  .find("so that a renewal fits in"),
              std::string::npos);
    EXPECT_NE(fault({.hold_max = Millis(9'999)}).find("hold_max"), std::string::npos);
    EXPECT_NE(fault({.poll_max = Millis(19)}).find("poll_max"), std::string::npos);
}

TEST(LockSettings, TheDeadlineIsAMarginBeforeTheEndOfTheTtl) {
    const Settings settings{.margin = Millis(500)};
    const auto started = Steady::now();
    EXPECT_EQ(settings.deadline(started, Millis(10'000)), started + Millis(9'500));
    EXPECT_EQ(settings.deadline(started, Millis(200)), started + Millis(160));
}

}  // namespace
}  // namespace passbook::lock
