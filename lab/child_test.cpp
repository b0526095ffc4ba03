// SPDX-License-Identifier: Apache-2.0
#include "lab/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <cerrno>
#include <memory>
#include <thread>

namespace passbook::lab {
namespace {

using std::chrono::milliseconds;

const Child::Command echo{.arguments = {}, .program = "/bin/cat"};
constexpr milliseconds soon{20'000};

bool is_gone(pid_t process) {
    return ::kill(process, 0) != 0 && errno == ESRCH;
}

TEST(Child, IsToldLinesAndSaysLines) {
    Child child(echo);
    EXPECT_TRUE(child.tell("one\ntwo"));
    EXPECT_EQ(child.line(soon), "one");
    EXPECT_EQ(child.line(soon), "two");
}

TEST(Child, StandsStillUntilItMayGoOn) {
    Child child(echo);
    child.stop();
    child.tell("late");
    EXPECT_THROW((void)child.line(milliseconds(100)), std::runtime_error);
    child.resume();
    EXPECT_EQ(child.line(soon), "late");
}

TEST(Child, WhatItSaidBeforeItWasKilledIsRead) {
    Child child(echo);
    child.tell("before");
    EXPECT_EQ(child.line(soon), "before");
    child.tell("last");
    std::this_thread::sleep_for(milliseconds(200));
    child.kill();
    EXPECT_EQ(child.line(soon), "last");
    EXPECT_EQ(child.line(soon), std::nullopt);
    EXPECT_FALSE(child.tell("after"));
}

TEST(Child, IsGoneWithItsObjectEvenWhereItStandsStill) {
    pid_t process = 0;
    {
        Child child(echo);
        process = child.id();
        child.stop();
    }
    EXPECT_TRUE(is_gone(process));
}

TEST(Child, IsGoneWithTheThreadThatStartedIt) {
    std::unique_ptr<Child> child;
    std::thread([&] {
        child = std::make_unique<Child>(echo);
        child->tell("ready");
        EXPECT_EQ(child->line(soon), "ready");
    }).join();
    EXPECT_EQ(child->line(soon), std::nullopt);
}

TEST(Child, DoesNotTakeTheInterruptOfItsTerminal) {
    Child child(echo);
    child.tell("ready");
    EXPECT_EQ(child.line(soon), "ready");
    for (const int signal : {SIGINT, SIGTERM}) {
        ::kill(child.id(), signal);
        child.tell("still here");
        EXPECT_EQ(child.line(soon), "still here");
    }
}

TEST(Child, AProgramThatIsNotThereSaysNothing) {
    Child child({.arguments = {}, .program = "/not/there"});
    EXPECT_EQ(child.line(soon), std::nullopt);
}

}  // namespace
}  // namespace passbook::lab
