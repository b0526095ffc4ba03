// SPDX-License-Identifier: Apache-2.0
#include "tests/lock/contract.h"

#include <atomic>
#include <vector>

namespace passbook::lock_tests {
namespace {

TEST_P(LockContract, AKeyIsHeldByOne) {
    auto guard = held(a, {"k"});
    EXPECT_TRUE(guard.valid());
    EXPECT_FALSE(guard.stop_token().stop_requested());
    const auto refused = b.acquire({.keys = {"k"}});
    EXPECT_EQ(refused.result, Acquired::busy);
    EXPECT_FALSE(refused.what);
    EXPECT_LE(refused.left, quick().ttl);
    EXPECT_EQ(guard.release(), Released::released);
    EXPECT_FALSE(guard.valid());
    EXPECT_EQ(guard.release(), Released::released) << "repeated it says the same";
    EXPECT_EQ(held(b, {"k"}).release(), Released::released);
    EXPECT_EQ(a.counters().lost[0].value(), 0U);
}

TEST_P(LockContract, AnotherKeyIsAnotherLock) {
    const auto one = held(a, {"k"});
    const auto upper = held(b, {"K"});  // byte-exact, wherever names are not
    const auto other = held(b, {"k2"});
    EXPECT_TRUE(one.valid() && upper.valid() && other.valid());
}

TEST_P(LockContract, IsNotReentrant) {
    const auto guard = held(a, {"k"});
    EXPECT_EQ(a.acquire({.keys = {"k"}}).result, Acquired::busy);
}

TEST_P(LockContract, TheGuardLetsGoWhenItGoes) {
    {
        const auto guard = held(a, {"k"});
    }
    auto guard = held(b, {"k"});
    guard = held(b, {"l"});
    EXPECT_TRUE(is_free(a, "k"));
    EXPECT_FALSE(is_free(a, "l"));
}

TEST_P(LockContract, SeveralKeysAreTakenTogetherOrNotAtAll) {
    auto middle = held(a, {"2"});
    EXPECT_EQ(b.acquire({.keys = {"3", "1", "2", "3"}}).result, Acquired::busy);
    EXPECT_TRUE(is_free(a, "1"));
    EXPECT_TRUE(is_free(a, "3"));
    (void)middle.release();
    auto all = held(b, {"3", "1", "2", "3"});
    EXPECT_EQ(all.keys(), (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_EQ(a.acquire({.keys = {"3"}}).result, Acquired::busy);
    EXPECT_EQ(all.release(), Released::released);
    EXPECT_TRUE(is_free(a, "1") && is_free(a, "2") && is_free(a, "3"));
}

TEST_P(LockContract, OppositeOrdersDoNotWaitForEachOther) {
    const auto work = [](Locks& locks, std::vector<std::string> keys) {
        for (int i = 0; i < 20; ++i) {
            (void)held(locks, keys, Millis(20'000));
        }
    };
    std::thread one([&] { work(a, {"x", "y"}); });
    std::thread two([&] { work(b, {"y", "x"}); });
    std::thread three([&] { work(a, {"y", "x"}); });
    one.join();
    two.join();
    three.join();
    EXPECT_EQ(a.waiting() + b.waiting(), 0U);
}

TEST_P(LockContract, WhoWaitsGetsItWhenItIsReleased) {
    auto guard = held(a, {"k"});
    std::thread later([&] {
        std::this_thread::sleep_for(Millis(200));
        (void)guard.release();
    });
    const auto answer = b.acquire({.keys = {"k"}, .wait = Millis(20'000)});
    later.join();
    EXPECT_EQ(answer.result, Acquired::acquired);
}

TEST_P(LockContract, WhoWaitsInVainIsToldSoInTime) {
    const auto guard = held(a, {"k"});
    Answer<Guard> answer;
    const Millis took = time_of([&] { answer = b.acquire({{"k"}, Millis(300)}); });
    EXPECT_EQ(answer.result, Acquired::timeout);
    EXPECT_GE(took, Millis(300));
    EXPECT_LT(took, Millis(300) + quick().io_timeout * 3);
    // In one process, too, where those who come later do not even ask.
    EXPECT_EQ(a.acquire({{"k"}, Millis(100)}).result, Acquired::timeout);
}

TEST_P(LockContract, WhoWaitsMayGiveUp) {
    const auto guard = held(a, {"k"});
    std::stop_source cancel;
    std::thread later([&] {
        std::this_thread::sleep_for(Millis(100));
        cancel.request_stop();
    });
    const auto answer = b.acquire({{"k"}, Millis(20'000), cancel.get_token()});
    later.join();
    EXPECT_EQ(answer.result, Acquired::cancelled);
    EXPECT_EQ(b.acquire({{"l"}, Millis(0), cancel.get_token()}).result, Acquired::cancelled);
    EXPECT_TRUE(is_free(a, "l"));
}

TEST_P(LockContract, ItIsKeptBeyondItsTtl) {
    auto guard = held(a, {"k"});
    std::this_thread::sleep_for(quick().ttl * 2);
    EXPECT_TRUE(guard.valid());
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::busy);
    EXPECT_EQ(guard.release(), Released::released);
    EXPECT_GE(a.counters().renewals[0].value(), 2U);
}

TEST_P(LockContract, TheLongestHoldEndsIt) {
    Settings settings = quick();
    settings.hold_max = settings.ttl;
    Locks locks = process(settings);
    auto guard = held(locks, {"k"});
    EXPECT_TRUE(eventually([&] { return guard.stop_token().stop_requested(); }));
    EXPECT_EQ(guard.lost(), Loss::expired);
    EXPECT_FALSE(guard.valid());
    EXPECT_EQ(b.acquire({{"k"}, Millis(10'000)}).result, Acquired::acquired);
    EXPECT_NE(guard.release(), Released::released);
}

TEST_P(LockContract, WhatNobodyRenewsEnds) {
    const auto ticket = a.issue("k", Millis(1'000), Millis(0));
    ASSERT_EQ(ticket.result, Acquired::acquired);
    EXPECT_LT(ticket.what->valid_for, Millis(1'000));
    EXPECT_GT(ticket.what->valid_for, Millis(0));
    std::this_thread::sleep_for(ticket.what->valid_for);
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::busy) << "not before its time";
    auto next = held(b, {"k"}, Millis(10'000));
    Millis left{0};
    EXPECT_NE(a.renew("k", ticket.what->token, Millis(1'000), left), Renewed::renewed);
    EXPECT_NE(a.release("k", ticket.what->token), Released::released);
    EXPECT_EQ(a.acquire({.keys = {"k"}}).result, Acquired::busy) << "the next one's is untouched";
    EXPECT_EQ(next.release(), Released::released);
}

TEST_P(LockContract, ATicketIsRenewedAndReleasedByItsToken) {
    const auto ticket = a.issue("k", Millis(1'000), Millis(0));
    ASSERT_TRUE(ticket.what);
    Millis left{0};
    for (int i = 0; i < 4; ++i) {
        std::this_thread::sleep_for(Millis(400));
        EXPECT_EQ(a.renew("k", ticket.what->token, Millis(1'000), left), Renewed::renewed);
        EXPECT_GT(left, Millis(0));
    }
    EXPECT_NE(a.renew("k", Token::random(), Millis(1'000), left), Renewed::renewed);
    EXPECT_NE(a.release("k", Token::random()), Released::released);
    EXPECT_FALSE(is_free(a, "k"));
    EXPECT_EQ(a.release("k", ticket.what->token), Released::released);
    EXPECT_TRUE(is_free(a, "k"));
    EXPECT_NE(a.release("k", ticket.what->token), Released::released);
}

TEST_P(LockContract, AProcessThatStopsGivesUpAll) {
    auto guard = held(a, {"k"});
    const auto other = held(b, {"l"});
    Answer<Guard> waiting;
    std::thread waiter([&] { waiting = a.acquire({{"l"}, Millis(20'000)}); });
    EXPECT_TRUE(eventually([&] { return a.waiting() == 1; }));
    std::atomic<bool> told = false;
    const std::stop_callback callback(guard.stop_token(), [&] { told = true; });
    a.stop();
    waiter.join();
    EXPECT_EQ(waiting.result, Acquired::cancelled);
    EXPECT_TRUE(told);
    EXPECT_EQ(guard.lost(), Loss::shutdown);
    EXPECT_EQ(a.acquire({.keys = {"m"}}).result, Acquired::cancelled);
    EXPECT_EQ(guard.release(), Released::released) << "it was still ours, and is free at once";
    EXPECT_TRUE(is_free(b, "k"));
}

TEST_P(LockContract, AGuardMayOutliveItsLocks) {
    auto locks = std::make_unique<Locks>(service(), quick());
    auto guard = held(*locks, {"k"});
    locks.reset();
    EXPECT_FALSE(guard.valid());
    EXPECT_EQ(guard.release(), Released::released);
}

TEST_P(LockContract, OfAProcessFirstComeIsFirstServed) {
    auto guard = held(b, {"k"});
    std::vector<int> order;
    std::vector<std::thread> waiters;
    for (int i = 0; i < 5; ++i) {
        waiters.emplace_back([&, i] {
            const auto mine = held(a, {"k"}, Millis(20'000));
            order.push_back(i);  // guarded by the lock
        });
        EXPECT_TRUE(eventually([&] { return a.waiting() == static_cast<std::size_t>(i) + 1; }));
    }
    (void)guard.release();
    for (auto& waiter : waiters) {
        waiter.join();
    }
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_P(LockContract, NoTwoAreInsideAtOnce) {
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> entered = 0;
    const auto work = [&](Locks& locks) {
        for (int i = 0; i < 10; ++i) {
            const auto guard = held(locks, {"k"}, Millis(60'000));
            const int now = ++inside;
            most = std::max(most.load(), now);
            ++entered;
            --inside;
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] { work(a); });
        threads.emplace_back([&] { work(b); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(most, 1);
    EXPECT_EQ(entered, 80);
}

// locks.md, failure scenario 8.
TEST_P(LockContract, Test08CancelRacesAcquire) {
    for (int i = 0; i < GetParam().races; ++i) {
        std::stop_source cancel;
        std::thread canceller([&] { cancel.request_stop(); });
        {
            const auto answer = a.acquire({{"k"}, Millis(10), cancel.get_token()});
            EXPECT_NE(answer.result, Acquired::unavailable) << answer.why;
        }
        canceller.join();
    }
    EXPECT_TRUE(is_free(b, "k")) << "no key is left behind, let alone renewed";
}

}  // namespace
}  // namespace passbook::lock_tests
