// SPDX-License-Identifier: Apache-2.0
// What happens to a lock on Redis when Redis, or the network to it, does what it must not. The
// numbers are those of the failure scenarios in docs/locks.md.
#include <gtest/gtest.h>
#include <atomic>
#include <fstream>
#include <vector>

#include "lock/redis/redis_lock.h"
#include "tests/lock/kinds.h"
#include "tests/lock/proxy.h"
#include "tests/servers/redis_server.h"

namespace passbook::lock_tests {
namespace {

constexpr const char* name_in_redis = "passbook:lock:k";

/// What is gone within the 10 s of `eventually` has not waited for its TTL.
Settings long_lived() {
    return {.ttl = Millis(20'000), .margin = Millis(200), .io_timeout = Millis(400)};
}

class RedisFaults : public testing::Test {
protected:
    RedisFaults()
        : proxy(server.address().port), a(through_proxy(), quick()), b(direct(), quick()) {}

    [[nodiscard]] std::unique_ptr<Service> through_proxy() const {
        const std::string port = ":" + std::to_string(server.address().port) + "/";
        std::string url = server.url();
        url.replace(url.rfind(port), port.size(), ":" + std::to_string(proxy.port()) + "/");
        return lock::redis::open(url);
    }
    [[nodiscard]] std::unique_ptr<Service> direct() const {
        return lock::redis::open(server.url());
    }
    [[nodiscard]] Guard held(Locks& by, Millis wait = {}) const {
        auto answer = by.acquire({{"k"}, wait});
        if (!answer.what) {
            throw std::runtime_error(std::string(lock::name_of(answer.result)) + answer.why);
        }
        return std::move(*answer.what);
    }
    [[nodiscard]] long evals() const {
        return server.info("commandstats", "cmdstat_eval:calls=");
    }

    test::RedisServer server;
    Proxy proxy;
    Locks a;  ///< Behind a network that can break.
    Locks b;
};

TEST_F(RedisFaults, AnUncontendedLockCostsTwoRoundTrips) {
    (void)held(b);
    const long before = evals();
    for (int i = 0; i < 100; ++i) {
        (void)held(b);
    }
    EXPECT_EQ(evals() - before, 200);
}

TEST_F(RedisFaults, Test02AnAnswerThatIsLostIsNoLockAndLeavesNoKey) {
    Locks c(through_proxy(), long_lived());
    (void)c.acquire({.keys = {"other"}});  // so that there is a connection
    proxy.lose_answers(true);
    const auto answer = c.acquire({.keys = {"k"}});
    EXPECT_EQ(answer.result, Acquired::unavailable) << "never a lock, and never a refusal";
    EXPECT_FALSE(server.ask({"GET", name_in_redis}).empty()) << "it was taken, unknown to us";
    proxy.lose_answers(false);
    EXPECT_TRUE(eventually([&] { return server.ask({"GET", name_in_redis}).empty(); }));
    EXPECT_LT(server.info("commandstats", "cmdstat_eval:calls="), 8);
}

TEST_F(RedisFaults, Test03AStaleReleaseTouchesNobodyElse) {
    const auto ticket = a.issue("k", Millis(200), Millis(0));
    ASSERT_TRUE(ticket.what);
    auto next = held(b, Millis(10'000));
    const std::string token = server.ask({"GET", name_in_redis});
    EXPECT_EQ(a.release("k", ticket.what->token), Released::not_owner);
    EXPECT_EQ(server.ask({"GET", name_in_redis}), token);
    EXPECT_TRUE(next.valid());
    EXPECT_EQ(next.release(), Released::released);
    EXPECT_EQ(a.release("k", ticket.what->token), Released::already_expired);
}

TEST_F(RedisFaults, Test04AReleaseInADestructorWithRedisDown) {
    {
        const auto guard = held(a);
        server.send(SIGKILL);
    }
    EXPECT_EQ(a.counters().releases[static_cast<std::size_t>(Released::unknown)].value(), 1U);
}

TEST_F(RedisFaults, Test05ALostAnswerToAReleaseLeavesNothingBehind) {
    auto guard = held(a);
    proxy.lose_answers(true);
    EXPECT_EQ(guard.release(), Released::unknown);
    const auto again = a.acquire({.keys = {"k"}});
    EXPECT_EQ(again.result, Acquired::unavailable) << "by its identity nobody gets in";
    EXPECT_EQ(b.acquire({{"k"}, quick().ttl}).result, Acquired::acquired);
}

TEST_F(RedisFaults, Test06ABlockedRenewalIsRetriedUntilTheDeadline) {
    auto guard = held(a);
    std::this_thread::sleep_for(quick().ttl / 2);  // after a renewal
    ASSERT_TRUE(guard.valid());
    std::atomic<Steady::time_point> told{};
    const std::stop_callback callback(guard.stop_token(), [&] { told = Steady::now(); });
    const auto blocked = Steady::now();
    proxy.hold_all(true);
    auto next = held(b, Millis(10'000));
    const auto taken = Steady::now();
    ASSERT_NE(told.load(), Steady::time_point{}) << "told before anybody else got in";
    EXPECT_LT(told.load(), taken - quick().margin / 2);
    EXPECT_LE(told.load(), blocked + quick().ttl - quick().margin + Millis(50));
    EXPECT_EQ(guard.lost(), Loss::unreachable);
    EXPECT_FALSE(guard.valid());
    EXPECT_GE(a.counters().renewals[static_cast<std::size_t>(Renewed::unknown)].value(), 2U);
    EXPECT_TRUE(next.valid());
}

TEST_F(RedisFaults, Test07RenewalGoesOnAfterAReconnect) {
    auto guard = held(a);
    proxy.set_down(true);
    std::this_thread::sleep_for(quick().ttl / 2);
    proxy.set_down(false);
    std::this_thread::sleep_for(quick().ttl * 2);
    EXPECT_TRUE(guard.valid());
    EXPECT_EQ(guard.release(), Released::released);
    auto later = held(a);
    std::this_thread::sleep_for(quick().ttl * 2);
    EXPECT_TRUE(later.valid());
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::busy);
}

TEST_F(RedisFaults, Test08ARaceOfCancelAndLostAnswersLeavesNoKey) {
    Locks c(through_proxy(), long_lived());
    (void)c.acquire({.keys = {"k"}});
    for (int i = 0; i < 10; ++i) {
        std::stop_source cancel;
        std::thread canceller([&] { cancel.request_stop(); });
        proxy.lose_answers(i % 2 == 0);
        (void)c.acquire({{"k" + std::to_string(i)}, Millis(0), cancel.get_token()});
        canceller.join();
    }
    proxy.lose_answers(false);
    proxy.set_down(true);
    std::this_thread::sleep_for(Millis(20));
    proxy.set_down(false);
    EXPECT_TRUE(eventually([&] { return server.info("keyspace", "keys=") == 0; }));
}

/// The keys' owner when all is lost at once, as by FLUSHALL, a failover, or a clock far ahead.
TEST_F(RedisFaults, Test09AKeyThatIsGoneBeforeItsTimeIsALoss) {
    auto guard = held(a);
    server.ask({"FLUSHALL"});
    EXPECT_TRUE(eventually([&] { return guard.stop_token().stop_requested(); }));
    EXPECT_EQ(guard.lost(), Loss::expired);

    auto second = held(a, Millis(5'000));
    server.ask({"SET", name_in_redis, "somebody else"});
    EXPECT_TRUE(eventually([&] { return second.stop_token().stop_requested(); }));
    EXPECT_EQ(second.lost(), Loss::stolen);
    EXPECT_EQ(second.release(), Released::not_owner);
}

TEST_F(RedisFaults, Test10APrimaryThatIsReplacedWithoutTheKeyLetsTwoIn) {
    const std::string primary = "replicaof=127.0.0.1 " + std::to_string(server.address().port);
    test::RedisServer replica{primary, "masterauth=" + server.address().password};
    EXPECT_TRUE(eventually([&] {
        return replica.ask({"INFO", "replication"}).find("master_link_status:up") !=
               std::string::npos;
    }));
    replica.send(SIGSTOP);  // it hears of nothing any more
    auto guard = held(b);
    server.send(SIGKILL);
    replica.send(SIGCONT);
    // What was on the wire may have arrived; the key is gone in the worst case, which this is.
    replica.ask({"REPLICAOF", "NO", "ONE"});
    replica.ask({"FLUSHALL"});
    Locks c(lock::redis::open(replica.url()), quick());
    auto second = held(c, Millis(5'000));
    EXPECT_TRUE(second.valid());
    EXPECT_TRUE(eventually([&] { return guard.stop_token().stop_requested(); }))
        << "both ran for a while, and only the fence can tell their writes apart";
    EXPECT_EQ(guard.lost(), Loss::unreachable);
}

TEST_F(RedisFaults, Test12ALostHintCostsNoMoreThanOnePause) {
    auto guard = held(b);
    Answer<Guard> answer;
    std::thread waiter([&] { answer = a.acquire({{"k"}, Millis(20'000)}); });
    EXPECT_TRUE(eventually([&] { return a.waiting() == 1; }));
    std::this_thread::sleep_for(Millis(100));
    server.ask({"DEL", name_in_redis});  // a release that tells nobody
    const Millis took = time_of([&] { waiter.join(); });
    EXPECT_EQ(answer.result, Acquired::acquired);
    EXPECT_LE(took, quick().poll_max + quick().io_timeout);
}

TEST_F(RedisFaults, Test12AHintIsFasterThanThePause) {
    Settings lazy{.ttl = Millis(60'000), .io_timeout = Millis(1'000), .poll_max = Millis(60'000)};
    Locks c(direct(), lazy);
    Locks d(direct(), lazy);
    auto answer = c.acquire({.keys = {"k"}});
    ASSERT_TRUE(answer.what);
    std::thread waiter(
        [&] { EXPECT_EQ(d.acquire({{"k"}, Millis(50'000)}).result, Acquired::acquired); });
    EXPECT_TRUE(
        eventually([&] { return server.info("commandstats", "cmdstat_subscribe:calls=") > 0; }));
    std::this_thread::sleep_for(Millis(200));
    (void)answer.what->release();
    EXPECT_LT(time_of([&] { waiter.join(); }), Millis(5'000));
}

TEST_F(RedisFaults, Test13FiveHundredWaitersAskNoMoreThanOne) {
    auto guard = held(b);
    std::vector<std::thread> waiters;
    std::stop_source cancel;
    for (int i = 0; i < 500; ++i) {
        waiters.emplace_back([&] { (void)a.acquire({{"k"}, Millis(60'000), cancel.get_token()}); });
    }
    EXPECT_TRUE(eventually([&] { return a.waiting() == 500; }));
    std::this_thread::sleep_for(Millis(300));
    const long before = evals();
    const long clients = server.info("clients", "connected_clients:");
    const Millis took = time_of([] { std::this_thread::sleep_for(Millis(2'000)); });
    const long asked = evals() - before;
    // One waiter, at random within 10 to 300 ms, and two renewals of ours a second.
    EXPECT_LE(asked, took.count() / 1'000 * 20);
    EXPECT_GE(asked, 2);
    EXPECT_LE(clients, 8);
    cancel.request_stop();
    for (auto& waiter : waiters) {
        waiter.join();
    }
}

TEST_F(RedisFaults, Test14ARedisThatTakesNoWritesIsUnavailableAndNotAskedInALoop) {
    server.ask({"CONFIG", "SET", "min-replicas-to-write", "1"});
    const long before = evals();
    const auto refused = b.acquire({{"k"}, Millis(2'000)});
    EXPECT_EQ(refused.result, Acquired::unavailable);
    EXPECT_NE(refused.why.find("NOREPLICAS"), std::string::npos) << refused.why;
    EXPECT_LE(evals() - before, 1);
    server.ask({"CONFIG", "SET", "min-replicas-to-write", "0"});
    server.ask({"CONFIG", "SET", "maxmemory", "1"});
    const auto full = b.acquire({{"k"}, Millis(2'000)});
    EXPECT_EQ(full.result, Acquired::unavailable);
    EXPECT_NE(full.why.find("OOM"), std::string::npos) << full.why;
    server.ask({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::acquired);
}

TEST_F(RedisFaults, ARedisThatHangsIsUnavailableWithinTheTimeout) {
    (void)held(b);
    server.send(SIGSTOP);
    Answer<Guard> answer;
    const Millis took = time_of([&] { answer = b.acquire({.keys = {"k"}}); });
    server.send(SIGCONT);
    EXPECT_EQ(answer.result, Acquired::unavailable);
    EXPECT_LT(took, quick().io_timeout + Millis(200));
    // What it did when it went on is cleaned up.
    EXPECT_EQ(b.acquire({{"k"}, quick().ttl * 2}).result, Acquired::acquired);
}

TEST_F(RedisFaults, AnIdleConnectionThatRedisHasClosedIsNotUsed) {
    (void)held(b);
    server.ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    std::this_thread::sleep_for(Millis(50));
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::acquired);
}

TEST_F(RedisFaults, ARedisThatStartsAgainIsFoundAgain) {
    (void)held(b);
    server.send(SIGKILL);
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::unavailable);
    server.start();
    EXPECT_TRUE(eventually([&] { return b.acquire({.keys = {"k"}}).what.has_value(); }));
}

}  // namespace
}  // namespace passbook::lock_tests
