// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <atomic>
#include <future>
#include <utility>

#include "writer/lane_fixture_test.h"

/// What a lane does where it can write without having read.

namespace passbook::writer {
namespace {

class AppendTest : public SharedLaneTest {
protected:
    AppendTest() {
        sends = true;
    }

    /// Another server writes.
    void elsewhere(ledger::Action action, const std::string& key) {
        Counters others;
        Lane lane(store.writer(), {}, InDoubt::settle, Keys::looked_up, others, [] {});
        auto done = submit(lane, std::move(action), key);
        (void)answer_of(done);
    }

    std::size_t looks() const {
        return writer_->asked.size();
    }

    const ledger::Entry stored(std::int64_t seq) {
        return store.reader()->entries(alice, seq - 1, 1).at(0);
    }
};

TEST_F(AppendTest, WhatFollowsFromWhatIsKnownTakesNoLook) {
    Lane& lane = opened(100);
    clock.set(Instant{5'000'000});
    auto spent = submit(lane, ledger::Spend{alice, 30, {}}, "k1");
    const Record first = std::get<Record>(answer_of(spent).body);
    clock.set(Instant{3'000'000});
    auto granted = submit(lane, ledger::Grant{alice, 5, {}}, "k2");
    const Record second = std::get<Record>(answer_of(granted).body);
    EXPECT_EQ(looks(), 1U);
    EXPECT_EQ(writer_->sent, 2);
    EXPECT_EQ(balance(alice), 75);
    EXPECT_EQ(first.subject(), stored(2));
    EXPECT_EQ(second.subject(), stored(3));
    EXPECT_EQ(first.subject().recorded_at, Instant{5'000'000});
    EXPECT_EQ(second.subject().recorded_at, Instant{5'000'000});  // never before the last
    EXPECT_EQ(counters.batch_size.total(), 3U);
}

TEST_F(AppendTest, AnAccountThatHasMovedOnIsDecidedAnewBehindALook) {
    Lane& lane = opened(100);
    elsewhere(ledger::Spend{alice, 80, {}}, "elsewhere");
    auto refused = submit(lane, ledger::Spend{alice, 30, {}}, "k1");
    EXPECT_EQ(std::get<ledger::Refusal>(answer_of(refused).body).code, Code::insufficient_balance);
    auto spent = submit(lane, ledger::Spend{alice, 20, {}}, "k2");
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(spent).body));
    EXPECT_EQ(balance(alice), 0);
    EXPECT_EQ(writer_->sent, 1);
    EXPECT_EQ(looks(), 3U);  // and for a while it looks first
    EXPECT_EQ(counters.guards_fired.value(), 0U);
    EXPECT_EQ(counters.retries.by_code().at("stale"), 1U);
}

TEST_F(AppendTest, OneThatMovesWhileTheTransactionIsOnItsWayToo) {
    Lane& lane = opened(100);
    writer_->meanwhile = [&] {
        elsewhere(ledger::Spend{alice, 80, {}}, "elsewhere");
    };
    auto refused = submit(lane, ledger::Spend{alice, 30, {}}, "k1");
    EXPECT_EQ(std::get<ledger::Refusal>(answer_of(refused).body).code, Code::insufficient_balance);
    EXPECT_EQ(balance(alice), 20);
}

TEST_F(AppendTest, ANoIsSaidOnlyBehindALook) {
    Lane& lane = opened(10);
    elsewhere(ledger::Grant{alice, 20, {}}, "elsewhere");
    auto spent = submit(lane, ledger::Spend{alice, 25, {}}, "k1");
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(spent).body));
    auto refused = submit(lane, ledger::Spend{alice, 25, {}}, "k2");
    EXPECT_EQ(std::get<ledger::Refusal>(answer_of(refused).body).code, Code::insufficient_balance);
    EXPECT_EQ(writer_->sent, 0);
    EXPECT_TRUE(store.reader()->outcome({alice, Key::trusted("k2")}).has_value());
}

TEST_F(AppendTest, OnlyGrantsAndSpendsWithoutALabelAreSent) {
    Lane& lane = opened(100);
    const auto looked_at = [&](ledger::Command command) {
        const std::size_t before = looks();
        auto promise = std::make_shared<std::promise<Reply>>();
        std::vector<Job> jobs;
        jobs.push_back({*ledger::prepare(std::move(command)), [promise](Reply reply) {
                            promise->set_value(std::move(reply));
                        }});
        EXPECT_TRUE(lane.submit(jobs));
        auto reply = promise->get_future();
        EXPECT_TRUE(std::holds_alternative<Record>(answer_of(reply).body));
        return looks() > before;
    };
    const ledger::Spend spend{alice, 1, {}};
    int keys_made = 0;
    const auto key = [&keys_made] {
        return Key::trusted("a" + std::to_string(++keys_made));
    };
    EXPECT_FALSE(looked_at({.action = spend, .key = key()}));
    EXPECT_FALSE(
        looked_at({.action = ledger::Grant{alice, 1, ledger::default_asset().code}, .key = key()}));
    EXPECT_TRUE(looked_at({.action = spend, .key = key(), .reason = "tea"}));
    EXPECT_TRUE(looked_at({.action = spend, .key = key(), .metadata = "{}"}));
    EXPECT_TRUE(looked_at({.action = spend, .key = key(), .effective_at = Instant{7}}));
    EXPECT_TRUE(looked_at({.action = ledger::Transfer{alice, bob, 1}, .key = key()}));
    EXPECT_TRUE(looked_at({.action = ledger::PlaceHold{alice, 1, {}}, .key = key()}));
    EXPECT_TRUE(looked_at({.action = spend, .key = key()}));  // something is held
    const EntryId hold{alice, store.reader()->account(alice)->account.seq - 1};
    EXPECT_TRUE(looked_at({.action = ledger::VoidHold{hold}, .key = key()}));
    EXPECT_FALSE(looked_at({.action = spend, .key = key()}));
}

TEST_F(AppendTest, WhatIsNotOpenIsLookedAt) {
    Lane& lane = opened(100);
    auto frozen = submit(lane, ledger::SetStatus{alice, ledger::EntryKind::freeze}, "k1");
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(frozen).body));
    auto refused = submit(lane, ledger::Spend{alice, 1, {}}, "k2");
    EXPECT_EQ(std::get<ledger::Refusal>(answer_of(refused).body).code, Code::account_frozen);
    EXPECT_EQ(writer_->sent, 0);
}

TEST_F(AppendTest, AUsedKeyIsFoundByTheStoreAndThenLookedUp) {
    Lane& lane = opened(100);
    auto again = submit(lane, ledger::Grant{alice, 100, {}}, "k0");
    EXPECT_TRUE(answer_of(again).replayed);
    auto other = submit(lane, ledger::Grant{alice, 1, {}}, "k0");
    EXPECT_EQ(std::get<Rejection>(answer_of(other).body).code, Code::idempotency_key_reused);
    EXPECT_EQ(writer_->sent, 1);
    EXPECT_EQ(balance(alice), 100);
}

TEST_F(AppendTest, AnUnknownOutcomeThatTookEffectIsFoundAndIsNoReplay) {
    Lane& lane = opened(100);
    clock.set(Instant{5'000'000});
    store.plan_fault({.at = 1, .kind = FailureKind::in_doubt, .took_effect = true});
    auto spent = submit(lane, ledger::Spend{alice, 30, {}}, "k1");
    const Answer answer = answer_of(spent);
    EXPECT_FALSE(answer.replayed);
    EXPECT_EQ(std::get<Record>(answer.body).subject(), stored(2));
    EXPECT_EQ(balance(alice), 70);
    EXPECT_EQ(store.confirms(), 1);
}

TEST_F(AppendTest, AnUnknownOutcomeThatDidNotIsDoneOnce) {
    Lane& lane = opened(100);
    store.plan_fault({.at = 1, .kind = FailureKind::in_doubt});
    auto spent = submit(lane, ledger::Spend{alice, 30, {}}, "k1");
    EXPECT_FALSE(answer_of(spent).replayed);
    EXPECT_EQ(balance(alice), 70);
}

TEST_F(AppendTest, AnswersGoOutWhileTheNextIsOnItsWay) {
    Lane& lane = opened(100);
    std::atomic<bool> is_answered = false;
    bool was_answered = false;
    std::future<Reply> second;
    writer_->meanwhile = [&] {  // the first is on its way
        second = submit(lane, ledger::Spend{alice, 1, {}}, "k2");
        writer_->meanwhile = [&] {  // the second is
            writer_->settling = [&] {
                was_answered = is_answered;
            };
        };
    };
    std::promise<void> first;
    std::vector<Job> jobs;
    jobs.push_back({request_of(ledger::Spend{alice, 1, {}}, "k1"), [&](const Reply& reply) {
                        is_answered = std::holds_alternative<Answer>(reply);
                        first.set_value();
                    }});
    ASSERT_TRUE(lane.submit(jobs));
    first.get_future().wait();
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(second).body));
    EXPECT_TRUE(was_answered);
    EXPECT_EQ(writer_->sent, 2);
}

TEST_F(AppendTest, AnswersDoNotWaitForWhatFailsBehindThem) {
    Lane& lane = opened(100);
    std::future<Reply> second;
    writer_->meanwhile = [&] {  // while the first is on its way
        store.plan_fault({.at = 2, .kind = FailureKind::unavailable, .times = 1'000});
        second = submit(lane, ledger::Spend{alice, 1, {}}, "k2");
    };
    auto first = submit(lane, ledger::Spend{alice, 1, {}}, "k1");
    ASSERT_EQ(first.wait_for(std::chrono::seconds(2)), std::future_status::ready);
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(first).body));
    store.plan_fault({});
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(second).body));
}

TEST_F(AppendTest, OverAnotherLinkNothingIsKnown) {
    Lane& lane = opened(100);
    writer_->links_had = 2;
    auto spent = submit(lane, ledger::Spend{alice, 1, {}}, "k1");
    (void)answer_of(spent);
    EXPECT_EQ(writer_->sent, 0);
    auto next = submit(lane, ledger::Spend{alice, 1, {}}, "k2");
    (void)answer_of(next);
    EXPECT_EQ(writer_->sent, 1);
}

}  // namespace
}  // namespace passbook::writer
