// SPDX-License-Identifier: Apache-2.0
#include "lab/redis_link.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace passbook::lab {
namespace {

TEST(RedisLink, ReadsWhereTheServerIsAndShowsNoPassword) {
    const std::string url = "redis://:a%20secret@10.1.2.3:7000/4?prefix=x:";
    EXPECT_EQ(endpoint_of(url).host, "10.1.2.3");
    EXPECT_EQ(endpoint_of(url).port, 7000);
    EXPECT_EQ(endpoint_of("redis://somewhere").port, 6379);
    EXPECT_EQ(shown_redis(url), "redis://10.1.2.3:7000");
}

TEST(RedisLink, AnotherPortKeepsAllElse) {
    EXPECT_EQ(redis_at_port("redis://:a%20secret@10.1.2.3:7000/4?prefix=x:", 99),
              "redis://:a%20secret@127.0.0.1:99/4?prefix=x:");
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
