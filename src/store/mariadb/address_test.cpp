// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/address.h"

#include <gtest/gtest.h>

#include "base/failure.h"

namespace passbook::store::mariadb {
namespace {

constexpr auto npos = std::string::npos;

std::string refusal_of(const std::string& url) {
    try {
        (void)Address(url).settings(Purpose::write);
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.kind(), FailureKind::broken);
        return failure.what();
    }
    ADD_FAILURE() << url;
    return {};
}

TEST(Address, ForPeopleItHasNoPassword) {
    EXPECT_EQ(Address("mysql://me:secret@db:3307/points?ssl=required").describe(),
              "mysql://me@db:3307/points");
    EXPECT_EQ(Address("mariadb://db/points").describe(), "mysql://db/points");
    EXPECT_EQ(Address("mysql://a%40b@[::1]:1/a%2Fb").describe(), "mysql://a%40b@[::1]:1/a%2Fb");
}

TEST(Address, EveryPartIsDecoded) {
    const auto all =
        Address("mysql://m%40:s%23%3A@db:3307/p%2Fq?socket=%2Frun%2Fx").settings(Purpose::write);
    EXPECT_EQ(all.user, "m@");
    EXPECT_EQ(all.password, "s#:");
    EXPECT_EQ(all.host, "db");
    EXPECT_EQ(all.port, 3307);
    EXPECT_EQ(all.database, "p/q");
    EXPECT_EQ(all.socket, "/run/x");
    EXPECT_EQ(Address("mysql://[::1]/p").settings(Purpose::read).host, "::1");
    EXPECT_EQ(Address("mysql://db/p").settings(Purpose::read).port, 3306);
}

TEST(Address, WhatCannotBeReadIsNotRepeated) {
    for (const std::string url :
         {"mysql://me:secret@[db/points", "mysql://me:secret@db:x/points",
          "mysql://me:secret@db:70000/points", "mysql://me:secret@db:0/points",
          "mysql://me:secret@db", "mysql://me:secret@db/", "mysql://me:secret@db/a/b",
          "mysql://me:secret@db/%zz", "mysql://me:secret#@db/points",
          "mysql://me:secret@db/points?ssl=secret", "mysql://db/points?ssl_ca=secret",
          "mysql://db/points?connect_timeout=secret", "mysql://db/points?connect_timeout=0",
          "mysql://db/points?lock_timeout=86401"}) {
        EXPECT_EQ(refusal_of(url).find("secret"), npos) << url;
    }
    EXPECT_NE(refusal_of("mysql://db/points?nonsense=1").find("`nonsense`"), npos);
}

TEST(Address, AddsTheTimeOutsThatTheUrlLeavesOut) {
    const Address plain("mysql://db/points");
    EXPECT_EQ(plain.settings(Purpose::write).statement_timeout, 10U);
    EXPECT_EQ(plain.settings(Purpose::read).statement_timeout, 60U);
    EXPECT_EQ(plain.settings(Purpose::manage).statement_timeout, 0U);
    EXPECT_EQ(plain.settings(Purpose::tables).read_timeout, 0U);
    const Address given("mysql://db/points?statement_timeout=3&lock_timeout=1");
    EXPECT_EQ(given.settings(Purpose::write).statement_timeout, 3U);
    EXPECT_EQ(given.settings(Purpose::read).lock_timeout, 1U);
}

TEST(Address, EncryptsAsFarAsItSays) {
    EXPECT_EQ(Address("mysql://db/points").settings(Purpose::write).tls, Tls::off);
    const auto all = Address("mysql://db/points?ssl=verified&ssl_ca=/ca.pem&ssl_cert=/c&ssl_key=/k")
                         .settings(Purpose::write);
    EXPECT_EQ(all.tls, Tls::verified);
    EXPECT_EQ(all.ca, "/ca.pem");
    EXPECT_EQ(all.certificate, "/c");
    EXPECT_EQ(all.key, "/k");
}

}  // namespace
}  // namespace passbook::store::mariadb
