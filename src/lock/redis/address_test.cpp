// SPDX-License-Identifier: Apache-2.0
#include "lock/redis/address.h"

#include <gtest/gtest.h>

#include "base/failure.h"

namespace passbook::lock::redis {
namespace {

std::string fault(const std::string& url) {
    try {
        (void)Address::parse(url);
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.kind(), FailureKind::broken);
        return failure.what();
    }
    return "";
}

TEST(RedisAddress, SaysWhatItSays) {
    const Address address = Address::parse("redis://us%3Aer:p%40ss:word@cache.example:6380/3");
    EXPECT_EQ(address.host, "cache.example");
    EXPECT_EQ(address.port, 6380);
    EXPECT_EQ(address.user, "us:er");
    EXPECT_EQ(address.password, "p@ss:word");
    EXPECT_EQ(address.database, 3U);
    EXPECT_EQ(address.describe(), "redis://cache.example:6380/3");
}

TEST(RedisAddress, NeedsNothingButAHost) {
    const Address address = Address::parse("redis://localhost");
    EXPECT_EQ(address.port, 6379);
    EXPECT_EQ(address.password, "");
    EXPECT_EQ(address.prefix, "passbook:lock:");
    EXPECT_EQ(Address::parse("redis://:secret@localhost/").password, "secret");
    EXPECT_EQ(Address::parse("redis://localhost?prefix=shop%3A").prefix, "shop:");
    EXPECT_EQ(Address::parse("redis://[::1]:6380").host, "::1");
    EXPECT_EQ(Address::parse("redis://[::1]:6380").describe(), "redis://[::1]:6380/0");
}

TEST(RedisAddress, SaysHowManyReplicasMustAcknowledge) {
    EXPECT_EQ(Address::parse("redis://localhost").replicas, 0U);
    EXPECT_EQ(Address::parse("redis://localhost").lacking, Lacking::degrade);
    const Address address = Address::parse("redis://localhost?replicas=2&lacking=refuse&prefix=p");
    EXPECT_EQ(address.replicas, 2U);
    EXPECT_EQ(address.lacking, Lacking::refuse);
    EXPECT_EQ(address.prefix, "p");
    EXPECT_EQ(Address::parse("redis://localhost?lacking=degrade").lacking, Lacking::degrade);
}

TEST(RedisAddress, IsRefusedInOneLineThatHoldsNoPassword) {
    const auto expect = [](const std::string& url, std::string_view part) {
        const std::string what = fault(url);
        EXPECT_NE(what.find(part), std::string::npos) << url << ": " << what;
        EXPECT_EQ(what.find("secret"), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    };
    expect("http://localhost", "must begin with redis://");
    expect("rediss://:secret@localhost", "TLS");
    expect("redis://", "names no host");
    expect("redis://secret@localhost", "behind a colon");
    expect("redis://:secret@", "names no host");
    expect("redis://:secret@localhost:0", "port");
    expect("redis://:secret@localhost:65536", "port");
    expect("redis://:secret@localhost/x", "database");
    expect("redis://:sec%zzret@localhost", "hexadecimal");
    expect("redis://:secret@localhost?tls=1", "option `tls`");
    expect("redis://:secret@localhost?prefix", "no value");
    expect("redis://:secret@localhost?replicas=one", "0 to 100");
    expect("redis://:secret@localhost?replicas=101", "0 to 100");
    expect("redis://:secret@localhost?lacking=ignore", "degrade or refuse");
    expect("redis://[::1", "brackets");
    expect("redis://[::1]x", "brackets");
}

}  // namespace
}  // namespace passbook::lock::redis
