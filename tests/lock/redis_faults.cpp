// SPDX-License-Identifier: Apache-2.0
// What happens to a lock on Redis when Redis, or the network to it, does what it must not. The
// numbers are those of the failure scenarios in docs/locks.md.
#include <gtest/gtest.h>
#include <algorithm>
#include <optional>
#include <random>
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
        return lock::redis::open(at_port(server.url(), proxy.port()));
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
    [[nodiscard]] long subscriptions() const {
        const std::string clients = server.ask({"CLIENT", "LIST", "TYPE", "pubsub"});
        return std::count(clients.begin(), clients.end(), '\n');
    }

    test::RedisServer server;
    Proxy proxy;
    Locks a;  ///< Behind a network that can break.
    Locks b;
};

TEST_F(RedisFaults, AnUncontendedLockCostsTwoRoundTrips) {
    (void)held(a);
    const long before = proxy.requests();
    for (int i = 0; i < 100; ++i) {
        (void)held(a);
    }
    EXPECT_EQ(proxy.requests() - before, 200);
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

TEST_F(RedisFaults, Test04AReleaseThatNeverArrivedIsAskedForAgain) {
    Locks c(through_proxy(), long_lived());
    {
        const auto guard = held(c);
        proxy.set_down(true);
    }
    EXPECT_FALSE(server.ask({"GET", name_in_redis}).empty());
    proxy.set_down(false);
    EXPECT_TRUE(eventually([&] { return server.ask({"GET", name_in_redis}).empty(); }));
}

TEST_F(RedisFaults, Test06ABlockedRenewalIsTriedAgainUntilTheDeadline) {
    const auto guard = held(a);
    proxy.hold_all(true);
    EXPECT_TRUE(eventually([&] { return guard.lost().has_value(); }));
    EXPECT_EQ(guard.lost(), Loss::unreachable);
    // The last one was on its way at the deadline, and may end a little later.
    EXPECT_TRUE(eventually([&] {
        return a.counters().renewals[static_cast<std::size_t>(Renewed::unknown)].value() >= 2;
    }));
}

TEST_F(RedisFaults, Test08AThousandCancelledWaitsLeaveNoKey) {
    std::minstd_rand random;  // the same each time
    std::optional<Guard> other = held(b);
    for (int i = 0; i < 1'000; ++i) {
        if (i % 10 == 0) {
            other.reset();  // so that some get it in the moment of their cancel
        }
        std::stop_source cancel;
        std::thread canceller([&, pause = random() % 1'000] {
            std::this_thread::sleep_for(std::chrono::microseconds(pause));
            cancel.request_stop();
        });
        (void)a.acquire({{"k"}, Millis(1'000), cancel.get_token()});
        canceller.join();
        if (i % 10 == 5) {
            other = held(b, Millis(5'000));
        }
    }
    other.reset();
    EXPECT_TRUE(eventually([&] { return server.info("keyspace", "keys=") == 0; }));
    const long before = evals();
    std::this_thread::sleep_for(quick().ttl);
    EXPECT_EQ(evals(), before) << "and nobody renews";
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

class Replicated : public RedisFaults {
protected:
    Replicated()
        : replica({"replicaof=127.0.0.1 " + std::to_string(server.address().port),
                   "masterauth=" + server.address().password}) {
        EXPECT_TRUE(replica.follows());
    }

    [[nodiscard]] std::unique_ptr<Service> with(const std::string& options) const {
        return lock::redis::open(server.url() + "?replicas=1" + options);
    }

    test::RedisServer replica;
};

TEST_F(Replicated, Test11AReplicaHasTheKeyWhenItIsAcquired) {
    Locks locks(with("&lacking=refuse"), quick());
    EXPECT_TRUE(eventually([&] { return locks.acquire({.keys = {"k"}}).what.has_value(); }));
    const auto lacking = locks.counters().lacking_replicas.value();
    for (int i = 0; i < 50; ++i) {
        auto guard = held(locks, Millis(1'000));
        EXPECT_EQ(replica.ask({"GET", name_in_redis}).substr(0, 32), guard.token().hex());
    }
    EXPECT_EQ(locks.counters().lacking_replicas.value(), lacking);
}

TEST_F(Replicated, Test11WithoutReplicasItDegradesAndSaysSo) {
    Locks locks(with(""), quick());
    replica.send(SIGSTOP);
    for (unsigned i = 1; i <= 3; ++i) {
        Answer<Guard> answer;
        const Millis took = time_of([&] { answer = locks.acquire({.keys = {"k"}}); });
        EXPECT_EQ(answer.result, Acquired::acquired) << answer.why;
        EXPECT_LT(took, quick().io_timeout + Millis(100));
        EXPECT_EQ(locks.counters().lacking_replicas.value(), i);
        if (i == 1) {
            replica.send(SIGKILL);
        }
    }
}

TEST_F(Replicated, Test11WithoutReplicasItRefusesWhereThatIsThePolicy) {
    Locks locks(with("&lacking=refuse"), long_lived());
    replica.send(SIGSTOP);
    Answer<Guard> answer;
    const Millis took = time_of([&] { answer = locks.acquire({.keys = {"k"}}); });
    EXPECT_EQ(answer.result, Acquired::unavailable);
    EXPECT_NE(answer.why.find("fewer than 1 replicas have it"), std::string::npos) << answer.why;
    EXPECT_LT(took, long_lived().io_timeout + Millis(100));
    EXPECT_EQ(locks.counters().lacking_replicas.value(), 1U);
    EXPECT_TRUE(eventually([&] { return server.ask({"GET", name_in_redis}).empty(); }))
        << "taken back";
    replica.send(SIGCONT);
    EXPECT_TRUE(eventually([&] { return locks.acquire({.keys = {"k"}}).what.has_value(); }))
        << "the outage ends with its cause";
}

TEST_F(RedisFaults, Test11AnAccountThatMayNotWaitLeavesNoKey) {
    server.ask({"ACL", "SETUSER", "default", "-wait"});
    Locks locks(lock::redis::open(server.url() + "?replicas=1"), long_lived());
    const auto answer = locks.acquire({.keys = {"k"}});
    EXPECT_EQ(answer.result, Acquired::unavailable);
    EXPECT_NE(answer.why.find("wait"), std::string::npos) << answer.why;
    EXPECT_TRUE(eventually([&] { return server.ask({"GET", name_in_redis}).empty(); }));
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
    const Millis took = time_of([] { std::this_thread::sleep_for(Millis(2'000)); });
    const long asked = evals() - before;
    // One waiter, at random within 10 to 300 ms, and two renewals of ours a second.
    EXPECT_LE(asked, took.count() / 1'000 * 20);
    EXPECT_GE(asked, 2);
    EXPECT_LE(server.info("clients", "connected_clients:"), 8);
    EXPECT_EQ(subscriptions(), 1);
    cancel.request_stop();
    for (auto& waiter : waiters) {
        waiter.join();
    }
}

/// Those who were turned away together do not come back together.
TEST_F(RedisFaults, Test13FiftyProcessesDoNotAskInStep) {
    constexpr int processes = 50;
    auto guard = held(b);
    std::vector<std::unique_ptr<Locks>> all;
    std::vector<std::thread> waiters;
    std::stop_source cancel;
    Settings settings = quick();
    settings.poll_max = Millis(1'000);
    for (int i = 0; i < processes; ++i) {
        all.push_back(std::make_unique<Locks>(direct(), settings));
        waiters.emplace_back([&, locks = all.back().get()] {
            (void)locks->acquire({{"k"}, Millis(60'000), cancel.get_token()});
        });
    }
    EXPECT_TRUE(eventually([&] { return subscriptions() == processes; }));
    server.ask({"PUBLISH", "passbook:lock:released", name_in_redis});  // they all ask, in vain
    std::this_thread::sleep_for(Millis(200));
    std::vector<long> asked;  // in each 50 ms
    const long before = evals();
    long last = before;
    const auto began = Steady::now();
    for (int i = 1; i <= 60; ++i) {
        std::this_thread::sleep_until(began + i * Millis(50));
        const long now = evals();
        asked.push_back(now - last);
        last = now;
    }
    // Each asks twice a second on average.
    EXPECT_LT(last - before, 3 * processes * 4);
    EXPECT_GT(last - before, 3 * processes);
    EXPECT_LT(*std::max_element(asked.begin(), asked.end()), processes / 2);
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
    server.ask({"REPLICAOF", "127.0.0.1", "1"});
    const auto read_only = b.acquire({{"k"}, Millis(2'000)});
    EXPECT_EQ(read_only.result, Acquired::unavailable);
    EXPECT_NE(read_only.why.find("READONLY"), std::string::npos) << read_only.why;
    EXPECT_LE(evals() - before, 3);
    server.ask({"REPLICAOF", "NO", "ONE"});
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
