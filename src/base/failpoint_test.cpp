// SPDX-License-Identifier: Apache-2.0
#include "base/failpoint.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include "base/failure.h"

namespace passbook {
namespace {

class FailpointTest : public testing::Test {
protected:
    void TearDown() override {
        ASSERT_TRUE(arm_failpoints(""));
    }
};

TEST_F(FailpointTest, FailsOnceAtTheNamedPass) {
    ASSERT_TRUE(arm_failpoints("other=fail@1,here=fail@2"));
    EXPECT_NO_THROW(failpoint("here"));
    EXPECT_THROW(failpoint("here"), Failure);
    EXPECT_NO_THROW(failpoint("here"));
}

TEST_F(FailpointTest, UnarmedDoesNothing) {
    EXPECT_NO_THROW(failpoint("here"));
}

TEST_F(FailpointTest, KillsTheProcess) {
    ASSERT_TRUE(arm_failpoints("here=kill@1"));
    EXPECT_EXIT(failpoint("here"), testing::KilledBySignal(SIGKILL), "");
}

TEST_F(FailpointTest, StopsTheProcessUntilItIsWoken) {
    ASSERT_TRUE(arm_failpoints("here=stop@1"));
    const pid_t child = ::fork();
    if (child == 0) {
        failpoint("here");
        ::_exit(7);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    EXPECT_TRUE(WIFSTOPPED(status));
    ::kill(child, SIGCONT);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST_F(FailpointTest, RefusesAnotherFormAndArmsNothing) {
    for (const char* text :
         {"here", "here=halt@1", "here=fail", "here=fail@0", "here=fail@x", "=fail@1"}) {
        EXPECT_FALSE(arm_failpoints(text)) << text;
    }
    EXPECT_NO_THROW(failpoint("here"));
}

}  // namespace
}  // namespace passbook
