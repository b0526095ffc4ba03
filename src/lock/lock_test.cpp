// SPDX-License-Identifier: Apache-2.0
// What the lock makes of the answers of a service, on one that says what it is told to.
#include "lock/lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/failure.h"

namespace passbook::lock {
namespace {

constexpr Settings quick{.ttl = Millis(600),
                         .margin = Millis(100),
                         .io_timeout = Millis(100),
                         .hold_max = Millis(60'000),
                         .poll_max = Millis(50)};

/// What a test sets and sees; outlives the service.
struct Script {
    std::atomic<Taking::How> take = Taking::How::taken;
    std::atomic<Renewed> renew = Renewed::renewed;
    std::atomic<Released> release = Released::released;
    std::atomic<Millis> take_lasts{};
    std::atomic<Millis> renew_lasts{};
    std::atomic<int> takes = 0;
    std::atomic<int> renewals = 0;
    std::atomic<int> releases = 0;
    std::mutex mutex;
    std::vector<std::string> keys;  ///< Of the last claim; guarded by mutex.
};

class Scripted final : public Service {
public:
    explicit Scripted(std::shared_ptr<Script> script) : script_(std::move(script)) {}

    [[nodiscard]] std::string describe() const override {
        return "scripted";
    }
    [[nodiscard]] Taking take(const Claim& claim, Steady::time_point) override {
        ++script_->takes;
        {
            const std::lock_guard lock(script_->mutex);
            script_->keys = claim.keys;
        }
        std::this_thread::sleep_for(script_->take_lasts.load());
        return {.how = script_->take};
    }
    [[nodiscard]] Renewed renew(const Claim&, Steady::time_point) override {
        ++script_->renewals;
        std::this_thread::sleep_for(script_->renew_lasts.load());
        return script_->renew;
    }
    [[nodiscard]] Released release(const Claim&, Steady::time_point) override {
        ++script_->releases;
        return script_->release;
    }
    [[nodiscard]] std::optional<Look> look(const std::string&, Steady::time_point) override {
        return std::nullopt;
    }

private:
    std::shared_ptr<Script> script_;
};

class LockTest : public testing::Test {
protected:
    std::shared_ptr<Script> script = std::make_shared<Script>();
    Locks locks{std::make_unique<Scripted>(script), quick};

    [[nodiscard]] Guard held() {
        auto answer = locks.acquire({.keys = {"k"}});
        if (!answer.what) {
            throw std::runtime_error("not acquired");
        }
        return std::move(*answer.what);
    }
    template <class Condition>
    [[nodiscard]] static bool within(Millis most, Condition holds) {
        const auto until = Steady::now() + most;
        while (!holds()) {
            if (Steady::now() > until) {
                return false;
            }
            std::this_thread::sleep_for(Millis(2));
        }
        return true;
    }
};

TEST_F(LockTest, Test08ACancelDuringTheRequestLeavesNoKey) {
    script->take_lasts = Millis(100);
    std::stop_source cancel;
    std::thread canceller([&] {
        std::this_thread::sleep_for(Millis(50));
        cancel.request_stop();
    });
    EXPECT_EQ(locks.acquire({{"k"}, Millis(0), cancel.get_token()}).result, Acquired::cancelled);
    canceller.join();
    EXPECT_EQ(script->releases, 1);
}

TEST_F(LockTest, BadSettingsAreRefused) {
    Settings bad = quick;
    bad.io_timeout = bad.ttl;
    EXPECT_THROW(Locks(std::make_unique<Scripted>(script), bad), Failure);
}

// The process stood still between the answer and its reading: what it got is over.
TEST_F(LockTest, Test02AnAnswerReadAfterTheTtlIsNoLock) {
    script->take_lasts = quick.ttl - quick.margin + Millis(1);
    const auto answer = locks.acquire({.keys = {"k"}});
    EXPECT_EQ(answer.result, Acquired::unavailable);
    EXPECT_FALSE(answer.what);
    EXPECT_TRUE(within(Millis(1'000), [&] { return script->releases > 0; })) << "it is cleaned up";
}

TEST_F(LockTest, TheDeadlineCountsFromTheStartOfTheRequest) {
    script->take_lasts = Millis(300);
    script->renew = Renewed::unknown;
    const auto began = Steady::now();
    const auto guard = held();
    EXPECT_TRUE(within(Millis(5'000), [&] { return !guard.valid(); }));
    EXPECT_LT(Steady::now() - began, quick.ttl - quick.margin + Millis(80));
    script->take_lasts = Millis(0);
}

TEST_F(LockTest, AnUnknownOutcomeIsUnavailableAndCleanedUpUntilTheTtlHasPassed) {
    script->take = Taking::How::unknown;
    script->release = Released::already_expired;  // it may still be on its way
    EXPECT_EQ(locks.acquire({.keys = {"k"}}).result, Acquired::unavailable);
    EXPECT_TRUE(within(quick.ttl, [&] { return script->releases >= 4; }));
    std::this_thread::sleep_for(quick.ttl);
    const int asked = script->releases;
    std::this_thread::sleep_for(quick.ttl / 2);
    EXPECT_EQ(script->releases, asked) << "and no longer";
}

TEST_F(LockTest, WhatIsKnownToBeGoneIsCleanedUpOnce) {
    script->take = Taking::How::unknown;
    (void)locks.acquire({.keys = {"k"}});
    std::this_thread::sleep_for(quick.ttl / 2);
    EXPECT_EQ(script->releases, 1);
}

TEST_F(LockTest, ARequestThatWasNeverSentIsNotCleanedUp) {
    script->take = Taking::How::unavailable;
    EXPECT_EQ(locks.acquire({{"k"}, Millis(1'000)}).result, Acquired::unavailable);
    EXPECT_EQ(script->takes, 1) << "nor sent again and again";
    std::this_thread::sleep_for(Millis(100));
    EXPECT_EQ(script->releases, 0);
}

TEST_F(LockTest, WithoutAFenceThereIsNoLock) {
    Locks fenced(std::make_unique<Scripted>(script), quick,
                 [](const auto&) -> std::vector<std::int64_t> {
                     throw Failure(FailureKind::unavailable, "the database is down");
                 });
    const auto answer = fenced.acquire({.keys = {"k"}});
    EXPECT_EQ(answer.result, Acquired::unavailable);
    EXPECT_NE(answer.why.find("the database is down"), std::string::npos);
    EXPECT_TRUE(within(Millis(1'000), [&] { return script->releases > 0; }));
}

TEST_F(LockTest, FencesGoWithTheirKeys) {
    Locks fenced(std::make_unique<Scripted>(script), quick,
                 [](const std::vector<std::string>& keys) {
                     EXPECT_EQ(keys, (std::vector<std::string>{"a", "b"}));
                     return std::vector<std::int64_t>{7, 3};
                 });
    const auto answer = fenced.acquire({.keys = {"b", "a"}});
    ASSERT_TRUE(answer.what);
    EXPECT_EQ(answer.what->fence("a"), 7);
    EXPECT_EQ(answer.what->fence("b"), 3);
}

TEST_F(LockTest, AFailedRenewalIsTriedAgainUntilTheDeadline) {
    const auto guard = held();
    script->renew = Renewed::unknown;
    EXPECT_TRUE(within(Millis(2'000), [&] { return script->renewals >= 3; }));
    EXPECT_TRUE(guard.valid());
    script->renew = Renewed::renewed;
    std::this_thread::sleep_for(quick.ttl * 2);
    EXPECT_TRUE(guard.valid());
    script->renew = Renewed::unknown;
    EXPECT_TRUE(within(Millis(2'000), [&] { return guard.stop_token().stop_requested(); }));
    EXPECT_EQ(guard.lost(), Loss::unreachable);
}

TEST_F(LockTest, ARenewalThatHangsKeepsNobodyFromBeingToldInTime) {
    const auto began = Steady::now();
    const auto one = held();
    const auto two = held();
    script->renew_lasts = Millis(1'500);  // beyond every time-out, as a service never should
    EXPECT_TRUE(within(Millis(5'000), [&] {
        return one.stop_token().stop_requested() && two.stop_token().stop_requested();
    }));
    EXPECT_LT(Steady::now() - began, quick.ttl);
}

TEST_F(LockTest, ALateRenewalRevivesNothing) {
    const auto guard = held();
    script->renew_lasts = quick.ttl;
    EXPECT_TRUE(within(Millis(2'000), [&] { return guard.lost().has_value(); }));
    script->renew_lasts = Millis(0);
    std::this_thread::sleep_for(quick.ttl);
    EXPECT_FALSE(guard.valid());
}

TEST_F(LockTest, WhatTheServiceSaysIsTheReason) {
    auto guard = held();
    script->renew = Renewed::gone;
    EXPECT_TRUE(within(Millis(2'000), [&] { return guard.stop_token().stop_requested(); }));
    EXPECT_EQ(guard.lost(), Loss::expired);
    script->renew = Renewed::renewed;
    guard = held();
    script->renew = Renewed::taken;
    EXPECT_TRUE(within(Millis(2'000), [&] { return guard.stop_token().stop_requested(); }));
    EXPECT_EQ(guard.lost(), Loss::stolen);
}

TEST_F(LockTest, ACallbackMayLetGo) {
    auto guard = held();
    std::atomic<bool> released = false;
    const std::stop_callback callback(guard.stop_token(), [&] {
        (void)guard.release();
        released = true;
    });
    script->renew = Renewed::taken;
    EXPECT_TRUE(within(Millis(2'000), [&] { return released.load(); }));
}

TEST_F(LockTest, WhoOnlyTriesDoesNotAskWhileAnotherOfHisProcessWaits) {
    script->take = Taking::How::busy;
    std::stop_source cancel;
    std::thread waiter([&] { (void)locks.acquire({{"k"}, Millis(60'000), cancel.get_token()}); });
    EXPECT_TRUE(within(Millis(2'000), [&] { return script->takes >= 2; }));
    const int asked = script->takes;
    for (int i = 0; i < 1'000; ++i) {
        EXPECT_EQ(locks.acquire({.keys = {"k"}}).result, Acquired::busy);
    }
    EXPECT_LT(script->takes - asked, 100);
    cancel.request_stop();
    waiter.join();
}

/// What is logged while it lives; to be read when nobody logs any more.
class Log {
public:
    Log() : before_(spdlog::default_logger()) {
        auto logger = std::make_shared<spdlog::logger>("test", lines_);
        logger->set_pattern("%l %v");
        spdlog::set_default_logger(std::move(logger));
    }
    ~Log() {
        spdlog::set_default_logger(before_);
    }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    [[nodiscard]] std::string text() {
        return fmt::format("{}", fmt::join(lines_->last_formatted(), ""));
    }

private:
    std::shared_ptr<spdlog::logger> before_;
    std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> lines_ =
        std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(16);
};

TEST_F(LockTest, LogsOneLineForEachAcquisitionLossAndRelease) {
    Log log;
    std::vector<Token> tokens;
    {
        Locks fenced(std::make_unique<Scripted>(script), quick,
                     [](const auto&) { return std::vector<std::int64_t>{7}; });
        auto answer = fenced.acquire({.keys = {"report"}});
        ASSERT_TRUE(answer.what);
        tokens.push_back(answer.what->token());
        (void)answer.what->release();
        answer = fenced.acquire({.keys = {"report"}});
        ASSERT_TRUE(answer.what);
        tokens.push_back(answer.what->token());
        script->renew = Renewed::taken;
        script->release = Released::not_owner;
        // Told before it is logged, on the thread that tells all holders.
        EXPECT_TRUE(
            within(Millis(2'000), [&] { return log.text().find(" lost") != std::string::npos; }));
        EXPECT_TRUE(answer.what->stop_token().stop_requested());
    }
    const auto first = tokens[0].shortened();
    const auto second = tokens[1].shortened();
    EXPECT_EQ(log.text(), fmt::format("info lock report acquired: token {0}, fence 7\n"
                                      "info lock report let go: released, token {0}, fence 7\n"
                                      "info lock report acquired: token {1}, fence 7\n"
                                      "warning lock report lost: stolen, token {1}, fence 7\n"
                                      "warning lock report let go: not_owner, token {1}, fence 7\n",
                                      first, second))
        << "and no token in full";
}

// The server keeps nothing of what it has issued: the token is the whole right.
TEST_F(LockTest, LogsAReleaseByItsTokenAlone) {
    Log log;
    const Token token = Token::random();
    (void)locks.release("report", token);
    EXPECT_EQ(log.text(),
              fmt::format("info lock report let go: released, token {}\n", token.shortened()));
}

TEST_F(LockTest, KeysAreAskedForInTheirOrderAndOnce) {
    const auto answer = locks.acquire({.keys = {"c", "a", "b", "a"}});
    ASSERT_TRUE(answer.what);
    const std::lock_guard lock(script->mutex);
    EXPECT_EQ(script->keys, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(LockTest, CountsWhatHappens) {
    {
        const auto guard = held();
    }
    script->take = Taking::How::busy;
    (void)locks.acquire({.keys = {"k"}});
    EXPECT_EQ(locks.counters().attempts[0].value(), 1U);
    EXPECT_EQ(locks.counters().attempts[1].value(), 1U);
    EXPECT_EQ(locks.counters().releases[0].value(), 1U);
    EXPECT_EQ(locks.counters().wait_micros.total(), 2U);
    EXPECT_EQ(locks.counters().held_micros.total(), 1U);
}

}  // namespace
}  // namespace passbook::lock
