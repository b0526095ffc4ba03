// SPDX-License-Identifier: Apache-2.0
#include "http/outcome.h"

#include <gtest/gtest.h>

namespace passbook::http {
namespace {

TEST(Outcome, OfEachFailureIsItsCodeAndNeverARefusal) {
    const auto answer = [](FailureKind kind) {
        const Response response = to_response(outcome_of(writer::Reply(kind)));
        std::string retry;
        for (const auto& [name, value] : response.headers) {
            retry += std::string(name) + "=" + value;
        }
        return std::to_string(response.status) + " " + retry + " " +
               response.body.substr(9, response.body.find("\",\"title") - 9);
    };
    EXPECT_EQ(answer(FailureKind::busy), "503 Retry-After=1 /problems/busy");
    EXPECT_EQ(answer(FailureKind::unavailable), "503 Retry-After=2 /problems/unavailable");
    EXPECT_EQ(answer(FailureKind::in_doubt), "503 Retry-After=1 /problems/outcome_unknown");
    EXPECT_EQ(answer(FailureKind::broken), "500  /problems/broken");
}

TEST(Outcome, OfAStoredRefusalIsThatOfTheFirstAnswer) {
    const ledger::Refusal refusal{
        Code::insufficient_balance, AccountId::trusted("alice"), {10, 30, 0}};
    const Outcome first = outcome_of(writer::Reply(ledger::Answer{.body = refusal}));
    const Outcome stored = outcome_of(ledger::Outcome(
        ledger::StoredRefusal{.subject = AccountId::trusted("alice"),
                              .request = {.key = Key::trusted("k"), .fingerprint = {}},
                              .refusal = refusal,
                              .recorded_at = {}}));
    EXPECT_FALSE(first.replayed);
    EXPECT_TRUE(stored.replayed);
    EXPECT_EQ(first.response.status, 422);
    EXPECT_EQ(first.response.body, stored.response.body);
}

}  // namespace
}  // namespace passbook::http
