// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "http/api_harness.h"

namespace passbook::http {
namespace {

class LocksTest : public ApiTest {
protected:
    RawResponse call(const std::string& path, const std::string& body) {
        return post("/v1/locks/" + path, body, "");
    }
    static std::string code(const RawResponse& response) {
        return field(response.body, "code");
    }
    static std::string with(const std::string& token) {
        return R"({"token":")" + token + R"("})";
    }
};

TEST_F(LocksTest, IsAcquiredRenewedLookedAtAndReleased) {
    const auto taken = call("job", R"({"ttl_ms":10000})");
    ASSERT_EQ(taken.status, 201) << taken.body;
    const std::string token = field(taken.body, "token");
    EXPECT_EQ(field(taken.body, "key"), "job");
    EXPECT_EQ(field(taken.body, "fence"), "1");
    EXPECT_GT(std::stoi(field(taken.body, "valid_for_ms")), 5'000);
    EXPECT_LT(std::stoi(field(taken.body, "valid_for_ms")), 10'000);

    const auto busy = call("job", "");
    EXPECT_EQ(busy.status, 409);
    EXPECT_EQ(code(busy), "lock_busy");
    EXPECT_EQ(busy.body.find(token), std::string::npos) << "the token is the holder's secret";
    EXPECT_EQ(code(call("job", R"({"wait_ms":50})")), "lock_busy");

    const auto look = get("/v1/locks/job");
    EXPECT_EQ(field(look.body, "held"), "true");
    EXPECT_EQ(look.body.find(token), std::string::npos);

    EXPECT_EQ(call("job/renew", with(token)).status, 200);
    const std::string other(32, '0');
    EXPECT_EQ(code(call("job/renew", with(other))), "lock_not_owner");
    EXPECT_EQ(code(call("job/release", with(other))), "lock_not_owner");
    EXPECT_EQ(field(call("job/release", with(token)).body, "released"), "true");
    EXPECT_EQ(code(call("job/release", with(token))), "lock_expired");
    EXPECT_EQ(code(call("job/renew", with(token))), "lock_expired");
    EXPECT_EQ(field(get("/v1/locks/job").body, "held"), "false");
    EXPECT_EQ(field(call("job", "").body, "fence"), "2");
}

TEST_F(LocksTest, TheServersOwnKeysAreNobodyElses) {
    EXPECT_EQ(code(call("passbook.slot.00", "")), "invalid_id");
    EXPECT_EQ(field(get("/v1/locks/passbook.slot.00").body, "held"), "false");
    EXPECT_EQ(call("passbook-slot", "").status, 201);
}

TEST_F(LocksTest, WhoWaitsGetsItWhenItIsReleased) {
    const std::string token = field(call("job", "").body, "token");
    std::string fence;
    std::thread waiter([&] {
        RawClient other(api_->port());
        other.send(text_of({.method = "POST",
                            .path = "/v1/locks/job",
                            .body = R"({"wait_ms":20000})",
                            .key = {},
                            .more_headers = {}}));
        fence = field(other.receive().body, "fence");
    });
    while (locks_->waiting() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(call("job/release", with(token)).status, 200);
    waiter.join();
    EXPECT_EQ(fence, "2");
}

TEST_F(LocksTest, WhatIsNotRenewedEnds) {
    const std::string token = field(call("job", R"({"ttl_ms":200})").body, "token");
    const auto next = call("job", R"({"wait_ms":10000})");
    EXPECT_EQ(field(next.body, "fence"), "2");
    EXPECT_EQ(code(call("job/renew", with(token))), "lock_not_owner");
}

TEST_F(LocksTest, RefusesWhatItDoesNotUnderstand) {
    EXPECT_EQ(code(call("job", R"({"ttl_ms":199})")), "invalid_value");
    EXPECT_EQ(code(call("job", R"({"wait_ms":60001})")), "invalid_value");
    EXPECT_EQ(code(call("job", R"({"token":"x"})")), "unknown_field");
    EXPECT_EQ(code(call("job/release", "")), "missing_field");
    EXPECT_EQ(code(call("job/release", with("x"))), "invalid_value");
    EXPECT_EQ(code(call("j%20b", "")), "invalid_id");
    EXPECT_EQ(code(post("/v1/locks/job", "", "a-key")), "idempotency_key_not_taken");
    EXPECT_EQ(code(get("/v1/locks/job?x=1")), "invalid_parameter");
}

TEST_F(LocksTest, AreCounted) {
    (void)call("job", "");
    (void)call("job", "");
    const std::string metrics = get("/metrics").body;
    EXPECT_NE(metrics.find("passbook_lock_attempts_total{result=\"acquired\"} 1\n"),
              std::string::npos);
    EXPECT_NE(metrics.find("passbook_lock_attempts_total{result=\"busy\"} 1\n"), std::string::npos);
}

}  // namespace
}  // namespace passbook::http
