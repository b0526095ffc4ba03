// SPDX-License-Identifier: Apache-2.0
#include "lab/redis_link.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace passbook::lab {
namespace {

TEST(RedisLink, ShowsNoPassword) {
    const std::string url = "redis://:a%20secret@10.1.2.3:7000/4?prefix=x:";
    EXPECT_EQ(shown_redis(url), "redis://10.1.2.3:7000");
}

TEST(RedisLink, APrefixIsMadeLonger) {
    const std::string below = redis_below("redis://:x@10.1.2.3:7000/4?prefix=a:b:", "SQLite");
    EXPECT_EQ(below, "redis://:x@10.1.2.3:7000/4?prefix=a:b:SQLite:");
    EXPECT_EQ(redis_below(below, "x"), "redis://:x@10.1.2.3:7000/4?prefix=a:b:SQLite:x:");
}

TEST(RedisLink, TellsInOneLineWhatIsWrong) {
    const auto fault = [](const std::string& url) {
        try {
            (void)with_own_prefix(url);
        } catch (const std::runtime_error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(fault("postgresql://x:secret@y").find("must be of the form redis://"),
              std::string::npos);
    EXPECT_EQ(fault("postgresql://x:secret@y").find("secret"), std::string::npos);
    EXPECT_NE(fault("redis://127.0.0.1:1?prefix=theirs").find("a prefix of their own"),
              std::string::npos);
    EXPECT_NE(fault("redis://:secret@127.0.0.1:1").find("Redis at 127.0.0.1:1 does not answer"),
              std::string::npos);
}

}  // namespace
}  // namespace passbook::lab
