// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/address.h"

#include <gtest/gtest.h>

#include "base/failure.h"

namespace passbook::store::postgres {
namespace {

constexpr auto npos = std::string::npos;

TEST(Address, ForPeopleItHasNoPassword) {
    EXPECT_EQ(Address("postgresql://me:secret@db:5433/points?sslmode=require").describe(),
              "postgresql://me@db:5433/points");
    EXPECT_EQ(Address("postgres://db/points?password=secret").describe(), "postgresql://db/points");
    EXPECT_EQ(Address("postgresql://a:1,b:2/points").describe(), "postgresql://a:1,b:2/points");
    EXPECT_EQ(Address("postgresql://%2Fvar%2Frun/points").describe(),
              "postgresql://%2Fvar%2Frun/points");
    EXPECT_EQ(Address("postgresql://").describe(), "postgresql://");
}

TEST(Address, WhatCannotBeReadIsNotRepeated) {
    for (const std::string url :
         {"postgresql://me:secret@[db/points", "postgresql://me:secret@db:x",
          "postgresql://me:secret@db/points?sslmode", "postgresql://me:secret@db/%zz"}) {
        try {
            const Address address(url);
            (void)address.parameters(Purpose::write);
            EXPECT_EQ(address.describe().find("secret"), npos) << url;
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.kind(), FailureKind::broken);
            EXPECT_EQ(std::string(failure.what()).find("secret"), npos) << failure.what();
        }
    }
    try {
        const Address address("postgresql://me:secret@db/points?nonsense=1");
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_NE(std::string(failure.what()).find("nonsense"), npos) << failure.what();
    }
}

TEST(Address, AddsWhatTheUrlLeavesOut) {
    const auto added = Address("postgresql://db/points").parameters(Purpose::write);
    EXPECT_EQ(added.at("connect_timeout"), "5");
    EXPECT_EQ(added.at("target_session_attrs"), "read-write");
    EXPECT_EQ(added.at("application_name"), "passbook");
    EXPECT_NE(added.at("options").find("lock_timeout=5s"), npos);
    EXPECT_NE(added.at("options").find("search_path=passbook,pg_catalog"), npos);
    const auto reading = Address("postgresql://db/points").parameters(Purpose::read);
    EXPECT_EQ(reading.at("target_session_attrs"), "primary");
    const auto tables = Address("postgresql://db/points").parameters(Purpose::tables);
    EXPECT_FALSE(tables.contains("target_session_attrs"));
    EXPECT_EQ(tables.at("options").find("search_path"), npos);
    EXPECT_NE(tables.at("options").find("default_transaction_read_only=on"), npos);
}

TEST(Address, OfSeveralHostsAWriterTakesThePrimaryWhateverTheUrlSays) {
    const Address both("postgresql://me@a:1,b:2/points");
    EXPECT_EQ(both.parameters(Purpose::write).at("host"), "a,b");
    EXPECT_EQ(both.parameters(Purpose::write).at("port"), "1,2");
    for (const std::string given : {"any", "standby", "prefer-standby", "read-only"}) {
        const Address address("postgresql://a,b/points?target_session_attrs=" + given);
        EXPECT_EQ(address.parameters(Purpose::write).at("target_session_attrs"), "read-write");
        EXPECT_EQ(address.parameters(Purpose::read).at("target_session_attrs"), "primary");
        EXPECT_EQ(address.parameters(Purpose::stale).at("target_session_attrs"), given);
    }
    const Address primary("postgresql://a,b/points?target_session_attrs=primary");
    EXPECT_EQ(primary.parameters(Purpose::write).at("target_session_attrs"), "primary");
    EXPECT_EQ(both.parameters(Purpose::stale).at("target_session_attrs"), "prefer-standby");
}

TEST(Address, EachHostAlone) {
    const auto alone = [](const std::string& url) {
        std::vector<std::string> all;
        for (const Address& host : Address(url).hosts()) {
            all.push_back(host.describe());
        }
        return all;
    };
    using Strings = std::vector<std::string>;
    EXPECT_EQ(alone("postgresql://me@a:1,b:2/points"),
              (Strings{"postgresql://me@a:1/points", "postgresql://me@b:2/points"}));
    EXPECT_EQ(alone("postgresql:///points?host=a,b&port=5"),
              (Strings{"postgresql://a:5/points", "postgresql://b:5/points"}));
    EXPECT_EQ(alone("postgresql:///points?hostaddr=10.0.0.1,10.0.0.2"),
              (Strings{"postgresql://10.0.0.1/points", "postgresql://10.0.0.2/points"}));
    EXPECT_EQ(alone("postgresql://a/points"), (Strings{"postgresql://a/points"}));
    EXPECT_EQ(alone("postgresql:///points"), (Strings{"postgresql:///points"}));
}

TEST(Address, TheUrlHasTheLastWordOnTimeOutsButNotOnThePath) {
    const auto given = Address(
                           "postgresql://db/points?connect_timeout=9&application_name=mine&"
                           "options=-c%20lock_timeout%3D1s%20-c%20search_path%3Dtheirs")
                           .parameters(Purpose::write);
    EXPECT_EQ(given.at("connect_timeout"), "9");
    EXPECT_EQ(given.at("application_name"), "mine");
    const std::string& options = given.at("options");
    EXPECT_LT(options.find("lock_timeout=5s"), options.find("lock_timeout=1s"));
    EXPECT_LT(options.find("search_path=theirs"), options.find("search_path=passbook"));
}

TEST(Address, TakesItsOwnOptionOutOfTheUrl) {
    for (const auto* url : {"postgresql://u@h/d?one_shard=true",
                            "postgresql://u@h/d?one_shard=true&application_name=a",
                            "postgresql://u@h/d?application_name=a&one_shard=true"}) {
        const Address address(url);
        EXPECT_EQ(address.reach(), Reach::one_shard) << url;
        EXPECT_EQ(address.describe(), "postgresql://u@h/d") << url;
        const auto all = address.parameters(Purpose::write);
        EXPECT_EQ(all.contains("one_shard"), false);
        EXPECT_EQ(all.at("options").find("plan_cache_mode"), std::string::npos);
    }
    EXPECT_EQ(Address("postgresql://u@h/d?application_name=a&one_shard=true")
                  .parameters(Purpose::write)
                  .at("application_name"),
              "a");
    EXPECT_EQ(Address("postgresql://u@h/d?one_shard=false").reach(), Reach::all_shards);
    EXPECT_EQ(Address("postgresql://u@h/d").reach(), Reach::all_shards);
    EXPECT_THROW(Address("postgresql://u@h/d?one_shard=1"), Failure);
}

}  // namespace
}  // namespace passbook::store::postgres
