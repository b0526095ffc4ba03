// SPDX-License-Identifier: Apache-2.0
#include "lab/endpoint.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace passbook::lab {
namespace {

TEST(Endpoint, IsReadWithTheUsualPortOfEachKind) {
    EXPECT_EQ(endpoint_of("redis://:a%20secret@10.1.2.3:7000/4?prefix=x:").host, "10.1.2.3");
    EXPECT_EQ(endpoint_of("redis://:a%20secret@10.1.2.3:7000/4?prefix=x:").port, 7000);
    EXPECT_EQ(endpoint_of("redis://somewhere").port, 6379);
    EXPECT_EQ(endpoint_of("postgresql://x:secret@somewhere/y").port, 5432);
    EXPECT_EQ(endpoint_of("postgres://somewhere/y").port, 5432);
    EXPECT_EQ(endpoint_of("mysql://x@somewhere/y").port, 3306);
    EXPECT_EQ(endpoint_of("mariadb://somewhere/y").port, 3306);
}

TEST(Endpoint, AnotherPortKeepsAllElse) {
    EXPECT_EQ(at_port("redis://:a%20secret@10.1.2.3:7000/4?prefix=x:", 99),
              "redis://:a%20secret@127.0.0.1:99/4?prefix=x:");
    EXPECT_EQ(at_port("postgresql://x:y@somewhere/z?sslmode=disable", 99),
              "postgresql://x:y@127.0.0.1:99/z?sslmode=disable");
}

TEST(Endpoint, WhatHasNotOneHostIsToldWithoutItsSecrets) {
    for (const char* url : {"postgresql://x:secret@a:1,b:2/y", "postgresql://x:secret@a,b/y",
                            "postgresql:///y?host=/run"}) {
        try {
            (void)endpoint_of(url);
            ADD_FAILURE() << url;
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "a server that is to be cut off needs a URL of one host");
        }
    }
}

}  // namespace
}  // namespace passbook::lab
