// SPDX-License-Identifier: Apache-2.0
#include "http/problem.h"

#include <gtest/gtest.h>

namespace passbook::http {
namespace {

TEST(Problem, IsRenderedInOneFixedOrder) {
    const Problem problem{Code::insufficient_balance, "alice has 10", "alice"};
    EXPECT_EQ(to_json(problem),
              R"({"type":"/problems/insufficient_balance","title":"Insufficient balance",)"
              R"("status":422,"code":"insufficient_balance","detail":"alice has 10",)"
              R"("account":"alice"})");
}

TEST(Problem, LeavesTheAccountOutWhereNoneRefused) {
    const Problem problem{Code::malformed_json, "a \"quoted\" part\n", {}};
    EXPECT_EQ(to_json(problem),
              R"({"type":"/problems/malformed_json","title":"Malformed JSON","status":400,)"
              R"("code":"malformed_json","detail":"a \"quoted\" part\n"})");
}

}  // namespace
}  // namespace passbook::http
