// SPDX-License-Identifier: Apache-2.0
#include "writer/gate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <atomic>
#include <future>
#include <thread>

#include "base/clock.h"
#include "lock/local/local_lock.h"
#include "store/memory/memory_store.h"
#include "writer/lanes.h"

namespace passbook::writer {
namespace {

using lock::Acquired;
using lock::Locks;
using lock::Millis;
using lock::Steady;
using store::memory::MemoryStore;

constexpr GateTimes quick{
    .wait = Millis(2'000), .turn = Millis(20), .idle = Millis(60), .retry = Millis(300)};

constexpr lock::Settings times{.ttl = Millis(3'000),
                               .margin = Millis(300),
                               .io_timeout = Millis(250),
                               .poll_max = Millis(25),
                               .routine = true};

Slots slots(std::initializer_list<std::size_t> numbers) {
    Slots slots;
    for (const std::size_t number : numbers) {
        slots.set(number);
    }
    return slots;
}

/// A lock service that answers, or does not.
class Switched final : public lock::Service {
public:
    Switched(std::shared_ptr<std::atomic<bool>> down, std::shared_ptr<std::atomic<int>> asked)
        : down_(std::move(down)), asked_(std::move(asked)) {}

    [[nodiscard]] std::string describe() const override {
        return "switched";
    }
    [[nodiscard]] lock::Taking take(const lock::Claim& claim, Steady::time_point until) override {
        ++*asked_;
        return *down_ ? lock::Taking{.why = "it is down"} : service_->take(claim, until);
    }
    [[nodiscard]] lock::Renewed renew(const lock::Claim& claim, Steady::time_point until) override {
        return *down_ ? lock::Renewed::unknown : service_->renew(claim, until);
    }
    [[nodiscard]] lock::Released release(const lock::Claim& claim,
                                         Steady::time_point until) override {
        return *down_ ? lock::Released::unknown : service_->release(claim, until);
    }
    [[nodiscard]] std::optional<lock::Look> look(const std::string& key,
                                                 Steady::time_point until) override {
        ++*asked_;
        return *down_ ? std::nullopt : service_->look(key, until);
    }

private:
    const std::shared_ptr<std::atomic<bool>> down_;
    const std::shared_ptr<std::atomic<int>> asked_;
    const std::unique_ptr<lock::Service> service_ = lock::local::open();
};

class GateTest : public testing::Test {
protected:
    [[nodiscard]] Gate gate(LockPolicy policy = LockPolicy::refuse, GateTimes of = quick) {
        return Gate({.locks = &locks, .policy = policy, .times = of}, counters);
    }
    [[nodiscard]] std::uint64_t attempts(Acquired result) const {
        return locks.counters().attempts[static_cast<std::size_t>(result)].value();
    }
    [[nodiscard]] std::uint64_t passed(Passage passage) const {
        return counters.gate[static_cast<std::size_t>(passage)].value();
    }
    /// The kind of failure with which the gate lets nobody in; nothing where it lets them.
    [[nodiscard]] static std::optional<FailureKind> refused(Gate& gate, const Slots& slots) {
        try {
            (void)gate.enter(slots);
            return std::nullopt;
        } catch (const Failure& failure) {
            return failure.kind();
        }
    }

    ManualClock clock{Instant{1'000'000}};
    MemoryStore store{clock};
    std::shared_ptr<std::atomic<bool>> down = std::make_shared<std::atomic<bool>>(false);
    std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);
    Locks locks{std::make_unique<Switched>(down, asked), times,
                [this](const std::vector<std::string>& keys) {
                    std::vector<std::int64_t> fences;
                    for (const std::string& key : keys) {
                        fences.push_back(store.mint(key));
                    }
                    return fences;
                }};
    Counters counters;
};

TEST_F(GateTest, WhatIsHeldIsKeptFromBatchToBatch) {
    Gate one = gate();
    for (int i = 0; i < 100; ++i) {
        const auto fences = one.enter(slots({3}));
        ASSERT_EQ(fences.size(), 1U);
        EXPECT_EQ(fences.front().key, "passbook.slot.03");
        EXPECT_EQ(fences.front().number, 1);
    }
    EXPECT_EQ(attempts(Acquired::acquired), 1U);
    EXPECT_LT(*asked, 50);  // one look for each turn that has passed, however slow this was
    EXPECT_EQ(passed(Passage::held), 100U);
}

TEST_F(GateTest, WhatIsNeededBesidesIsTakenWithWhatIsHeld) {
    Gate one = gate();
    (void)one.enter(slots({5}));
    const auto both = one.enter(slots({2}));
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].key, "passbook.slot.02");
    EXPECT_EQ(both[1].key, "passbook.slot.05");
    EXPECT_EQ(attempts(Acquired::acquired), 2U);
}

TEST_F(GateTest, OtherSlotsAreOthersToTake) {
    Gate one = gate();
    Gate two = gate();
    (void)one.enter(slots({1}));
    (void)two.enter(slots({2}));
    EXPECT_EQ(attempts(Acquired::busy), 0U);
}

TEST_F(GateTest, SlotsWithoutWorkAreLetGo) {
    Gate one = gate();
    (void)one.enter(slots({1}));
    one.rest();
    EXPECT_TRUE(one.holds());
    std::this_thread::sleep_for(quick.idle);
    one.rest();
    EXPECT_FALSE(one.holds());
}

/// Enters again and again, as a lane does that has work until it ends.
class Busy {
public:
    Busy(Gate& gate, const Slots& slots)
        : thread_([this, &gate, slots] {
              while (!ending_) {
                  (void)gate.enter(slots);
                  ++entered_;
                  std::this_thread::sleep_for(Millis(1));
              }
              while (gate.holds()) {
                  std::this_thread::sleep_for(gate.turn());
                  gate.rest();
              }
          }) {}
    ~Busy() {
        ending_ = true;
        thread_.join();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    [[nodiscard]] int entered() const {
        return entered_;
    }

private:
    std::atomic<bool> ending_ = false;
    std::atomic<int> entered_ = 0;
    std::thread thread_;
};

TEST_F(GateTest, LanesThatAlwaysHaveWorkTakeTurns) {
    Gate one = gate();
    Gate two = gate();
    Gate three = gate();
    const auto until = Steady::now() + std::chrono::seconds(10);
    const Busy first(one, slots({1, 2, 3}));
    const Busy second(two, slots({3, 4}));
    const Busy third(three, slots({4, 1}));
    const auto all_have = [&](int often) {
        return first.entered() > often && second.entered() > often && third.entered() > often;
    };
    while (!all_have(40) && Steady::now() < until) {
        std::this_thread::sleep_for(Millis(5));
    }
    EXPECT_TRUE(all_have(40)) << first.entered() << " " << second.entered() << " "
                              << third.entered();
}

TEST_F(GateTest, WithTheServiceDownThePolicyDecidesAndTheServiceIsLeftAlone) {
    *down = true;
    Gate bypass = gate(LockPolicy::bypass);
    Gate refuse = gate(LockPolicy::refuse);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(bypass.enter(slots({1})).empty());
        EXPECT_EQ(refused(refuse, slots({1})), FailureKind::unavailable);
    }
    EXPECT_EQ(*asked, 2);
    EXPECT_EQ(passed(Passage::bypassed), 10U);
    EXPECT_EQ(passed(Passage::refused), 10U);
    EXPECT_FALSE(gate_answers(locks));

    *down = false;
    EXPECT_TRUE(gate_answers(locks));
    std::this_thread::sleep_for(quick.retry);
    EXPECT_EQ(bypass.enter(slots({1})).size(), 1U);
    EXPECT_EQ(refuse.enter(slots({2})).size(), 1U);
}

TEST_F(GateTest, WhatIsHeldIsHeldWhileTheServiceIsDown) {
    Gate one = gate();
    (void)one.enter(slots({1}));
    *down = true;
    std::this_thread::sleep_for(2 * quick.turn);
    EXPECT_EQ(one.enter(slots({1})).size(), 1U);
}

TEST_F(GateTest, SlotsThatNeverComeAreWaitedForOnceAndThenThePolicyDecides) {
    Gate holder = gate();
    (void)holder.enter(slots({1}));
    GateTimes impatient = quick;
    impatient.wait = Millis(100);
    Gate other = gate(LockPolicy::refuse, impatient);
    EXPECT_EQ(refused(other, slots({1})), FailureKind::busy);
    const auto began = Steady::now();
    EXPECT_EQ(refused(other, slots({1})), FailureKind::busy);
    EXPECT_LT(Steady::now() - began, Millis(50));
}

// The lane behind the gate ------------------------------------------------------------------------

class LaneBehindGate : public GateTest {
protected:
    [[nodiscard]] Lane lane(GateTimes of = quick) {
        return Lane(store.writer(), {}, InDoubt::settle, Keys::guarded, counters, [] {},
                    {.locks = &locks, .policy = LockPolicy::refuse, .times = of});
    }

    static std::future<Reply> grant(Lane& lane, const std::string& key,
                                    const std::string& account = "alice") {
        return submit(lane, ledger::Grant{AccountId::trusted(account), 1, {}}, key);
    }
    static std::future<Reply> submit(Lane& lane, ledger::Action action, const std::string& key) {
        auto promise = std::make_shared<std::promise<Reply>>();
        auto request = ledger::prepare({.action = std::move(action), .key = Key::trusted(key)});
        std::vector<Job> jobs;
        jobs.push_back({*request, [promise](Reply reply) {
                            promise->set_value(std::move(reply));
                        }});
        EXPECT_TRUE(lane.submit(jobs));
        return promise->get_future();
    }
    static bool is_accepted(std::future<Reply> reply) {
        const Reply said = reply.get();
        const auto* answer = std::get_if<ledger::Answer>(&said);
        return answer != nullptr && std::holds_alternative<ledger::Record>(answer->body);
    }
    [[nodiscard]] static std::string key() {
        return fmt::format("passbook.slot.{:02}", slot_of(shard_of("alice")));
    }
};

TEST_F(LaneBehindGate, ABatchWhoseFenceHasMovedIsRunAgainAsAWholeAndAccepted) {
    GateTimes patient = quick;
    patient.idle = Millis(10'000);
    Lane lane = this->lane(patient);
    EXPECT_TRUE(is_accepted(grant(lane, "k1")));
    (void)store.mint(key());  // the service forgot, and somebody else came and went
    EXPECT_TRUE(is_accepted(grant(lane, "k2")));
    EXPECT_EQ(locks.counters().stale_writes.value(), 1U);
    EXPECT_EQ(counters.retries.by_code(),
              (std::map<std::string, std::uint64_t>{{"stale_fence", 1}}));
    EXPECT_EQ(store.reader()->account(AccountId::trusted("alice"))->account.balance, 2);
}

TEST_F(LaneBehindGate, TheSlotsAreHeldUntilTheTransactionHasEnded) {
    GateTimes patient = quick;
    patient.idle = Millis(10'000);
    Lane lane = this->lane(patient);
    EXPECT_TRUE(is_accepted(grant(lane, "k1")));
    auto open = store.writer();
    (void)open->begin({});  // the lane's transaction waits for this one
    auto reply = grant(lane, "k2");
    std::this_thread::sleep_for(Millis(100));
    EXPECT_EQ(passed(Passage::held), 2U);
    EXPECT_TRUE(locks.look(key())->held);
    open->rollback();
    EXPECT_TRUE(is_accepted(std::move(reply)));
}

TEST_F(LaneBehindGate, WhatComesMeanwhileJoinsOnlyWhereItsSlotIsHeld) {
    ASSERT_NE(slot_of(shard_of("alice")), slot_of(shard_of("carol")));
    Lane lane = this->lane();
    EXPECT_TRUE(is_accepted(grant(lane, "k1")));
    EXPECT_TRUE(is_accepted(grant(lane, "k2", "carol")));
    auto open = store.writer();
    (void)open->begin({});
    auto transfer = submit(
        lane, ledger::Transfer{AccountId::trusted("alice"), AccountId::trusted("carol"), 1}, "k3");
    while (passed(Passage::held) < 3) {
        std::this_thread::yield();
    }
    auto joins = grant(lane, "k4");
    auto waits = grant(lane, "k5", "carol");
    open->rollback();
    EXPECT_TRUE(is_accepted(std::move(transfer)));
    EXPECT_TRUE(is_accepted(std::move(joins)));
    EXPECT_TRUE(is_accepted(std::move(waits)));
    EXPECT_EQ(counters.batch_size.total(), 4U) << "carol is locked, and her slot is not held";
}

TEST_F(LaneBehindGate, ALaneWithoutWorkHoldsNothing) {
    Lane lane = this->lane();
    EXPECT_TRUE(is_accepted(grant(lane, "k")));
    const auto until = Steady::now() + std::chrono::seconds(5);
    while (locks.counters().releases[0].value() == 0 && Steady::now() < until) {
        std::this_thread::sleep_for(Millis(5));
    }
    EXPECT_EQ(locks.counters().releases[0].value(), 1U);
}

TEST_F(LaneBehindGate, WhatTheGateRefusesIsAFailureAndBurnsNoKey) {
    *down = true;
    Lane lane = this->lane();
    EXPECT_EQ(std::get<FailureKind>(grant(lane, "k").get()), FailureKind::unavailable);
    *down = false;
    std::this_thread::sleep_for(quick.retry);
    EXPECT_TRUE(is_accepted(grant(lane, "k")));
}

// Three lanes do not divide 256 shards as they divide 16 slots.
TEST_F(LaneBehindGate, LanesOfOneServerShareNoSlot) {
    Lanes lanes(store, 3, {}, counters, [] {},
                {.locks = &locks, .policy = LockPolicy::refuse, .times = quick});
    std::atomic<int> accepted = 0;
    for (int round = 0; round < 20; ++round) {
        std::vector<Job> jobs;
        for (int i = 0; i < 100; ++i) {
            auto request = ledger::prepare(
                {.action = ledger::Grant{AccountId::trusted(fmt::format("a{}", i)), 1, {}},
                 .key = Key::trusted(fmt::format("k{}", round))});
            jobs.push_back({*request, [&](const Reply& reply) {
                                accepted += std::holds_alternative<ledger::Answer>(reply) ? 1 : 0;
                            }});
        }
        lanes.submit(std::move(jobs));
    }
    lanes.stop();
    EXPECT_EQ(accepted, 2'000);
    EXPECT_EQ(attempts(Acquired::busy), 0U);
}

}  // namespace
}  // namespace passbook::writer
