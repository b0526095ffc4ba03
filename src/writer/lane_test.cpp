// SPDX-License-Identifier: Apache-2.0
#include "writer/lane.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <future>
#include <utility>

#include "writer/lane_fixture_test.h"
#include "writer/lanes.h"

namespace passbook::writer {
namespace {

TEST_F(LaneTest, WhatGathersCommitsTogether) {
    Lane& lane = this->lane();
    (void)submit(lane, ledger::Grant{alice, 100, {}}, "k0");
    while (lane.depth() != 0) {
        std::this_thread::yield();
    }
    std::vector<std::future<Reply>> spends;
    for (int i = 1; i <= 10; ++i) {
        spends.push_back(submit(lane, ledger::Spend{alice, 30, {}}, "k" + std::to_string(i)));
    }
    gate.set_value();
    int accepted = 0;
    for (auto& spend : spends) {
        accepted += std::holds_alternative<Record>(answer_of(spend).body) ? 1 : 0;
    }
    EXPECT_EQ(accepted, 3);
    EXPECT_EQ(balance(alice), 10);
    EXPECT_EQ(counters.batch_size.total(), 2U);
    EXPECT_EQ(counters.batch_size.sum(), 11U);
    EXPECT_EQ(counters.lock_wait_micros.total(), 2U);
}

TEST_F(LaneTest, TheSameKeyTwiceInOneBatchIsOneEffectAndOneReplay) {
    Lane& lane = this->lane();
    auto first = submit(lane, ledger::Grant{alice, 100, {}}, "k");
    auto again = submit(lane, ledger::Grant{alice, 100, {}}, "k");
    auto other = submit(lane, ledger::Grant{alice, 101, {}}, "k");
    gate.set_value();
    const Answer one = answer_of(first);
    const Answer two = answer_of(again);
    EXPECT_FALSE(one.replayed);
    EXPECT_TRUE(two.replayed);
    EXPECT_EQ(std::get<Record>(one.body), std::get<Record>(two.body));
    EXPECT_EQ(std::get<Rejection>(answer_of(other).body).code, Code::idempotency_key_reused);
    EXPECT_EQ(balance(alice), 100);
    EXPECT_EQ(counters.replays.value(), 1U);
}

TEST_F(LaneTest, ATargetMadeInTheSameGatheringIsFound) {
    Lane& lane = this->lane();
    (void)submit(lane, ledger::Grant{alice, 100, {}}, "k1");
    const EntryId hold{alice, 2};
    (void)submit(lane, ledger::PlaceHold{alice, 60, {}}, "k2");
    auto committed = submit(lane, ledger::CommitHold{hold, 50, bob}, "k3");
    const EntryId grant_id{alice, 1};
    auto reversed = submit(lane, ledger::Reverse{grant_id, 50, {}}, "k4");
    gate.set_value();
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(committed).body));
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(reversed).body));
    EXPECT_EQ(balance(alice), 0);
    EXPECT_EQ(balance(bob), 50);
}

TEST_F(LaneTest, AFullQueueIsBusyAndBurnsNoKey) {
    Lane& lane = this->lane({.queue_max = 2, .batch_max = 10});
    (void)submit(lane, ledger::Grant{alice, 1, {}}, "k0");
    while (lane.depth() != 0) {
        std::this_thread::yield();
    }
    (void)submit(lane, ledger::Grant{alice, 1, {}}, "k1");
    auto third = submit(lane, ledger::Grant{alice, 1, {}}, "k2");
    auto fourth = submit(lane, ledger::Grant{alice, 1, {}}, "k3");
    EXPECT_EQ(failure_of(fourth), FailureKind::busy);
    gate.set_value();
    third.wait();
    EXPECT_EQ(balance(alice), 3);
    auto again = submit(lane, ledger::Grant{alice, 1, {}}, "k3");
    EXPECT_FALSE(answer_of(again).replayed);
}

TEST_F(LaneTest, StoppingAnswersWhatWasAcceptedAndNothingLater) {
    Lane& lane = this->lane();
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k0");
    std::thread stopping([&] { lane.stop(); });
    gate.set_value();
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(first).body));
    stopping.join();
    auto late = submit(lane, ledger::Grant{alice, 1, {}}, "k1");
    EXPECT_EQ(failure_of(late), FailureKind::unavailable);
}

TEST_F(LaneTest, WhereAGuardFiresOnlyTheOffenderIsBroken) {
    const auto spoil = [](ledger::Changes& changes) {
        for (auto& entry : changes.entries) {
            if (entry.account == bob) {
                entry.balance_after += 1;
            }
        }
    };
    Lane& lane = this->lane({}, spoil);
    (void)submit(lane, ledger::Grant{alice, 1, {}}, "k0");
    while (lane.depth() != 0) {
        std::this_thread::yield();
    }
    auto good = submit(lane, ledger::Grant{alice, 10, {}}, "k1");
    auto bad = submit(lane, ledger::Grant{bob, 10, {}}, "k1");
    auto also_good = submit(lane, ledger::Spend{alice, 5, {}}, "k2");
    gate.set_value();
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(good).body));
    EXPECT_EQ(failure_of(bad), FailureKind::broken);
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(also_good).body));
    EXPECT_EQ(balance(alice), 6);
    EXPECT_EQ(balance(bob), std::nullopt);
}

TEST_F(LaneTest, AnUnknownOutcomeIsToldToAllInFlightAndEndsTheLane) {
    Lane& lane = this->lane();
    store.plan_fault({.at = 2, .kind = FailureKind::in_doubt, .took_effect = true});
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k0");
    while (lane.depth() != 0) {
        std::this_thread::yield();
    }
    auto waiting = submit(lane, ledger::Grant{alice, 1, {}}, "k1");
    gate.set_value();
    EXPECT_EQ(failure_of(first), FailureKind::in_doubt);
    EXPECT_EQ(failure_of(waiting), FailureKind::in_doubt);
    lane.stop();
    EXPECT_EQ(ended, 1);
    auto late = submit(lane, ledger::Grant{alice, 1, {}}, "k2");
    EXPECT_EQ(failure_of(late), FailureKind::unavailable);
}

TEST_F(SharedLaneTest, AConflictRunsTheWholeTransactionAgain) {
    Lane& lane = this->lane();
    store.plan_fault({.at = 2, .times = 3, .conflict = true});  // its commit, and two runs more
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_FALSE(answer_of(first).replayed);
    EXPECT_EQ(store.calls(), 6) << "begin and commit, twice begin, begin and commit";
    EXPECT_EQ(counters.retries.by_code(), (std::map<std::string, std::uint64_t>{{"planned", 3}}));
    EXPECT_EQ(balance(alice), 1);
}

TEST_F(SharedLaneTest, ConflictsWithoutEndAreBusyAndNeverARefusal) {
    Lane& lane = this->lane(hurried);
    store.plan_fault({.at = 1, .times = 1'000'000, .conflict = true});
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_EQ(failure_of(first), FailureKind::busy);
    store.plan_fault({});
    auto again = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_FALSE(answer_of(again).replayed);
}

TEST_F(SharedLaneTest, ALinkThatDiedIsTriedOnceMore) {
    Lane& lane = this->lane();
    store.plan_fault({.at = 1, .kind = FailureKind::unavailable});
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k1");
    EXPECT_FALSE(answer_of(first).replayed);
    store.plan_fault({.at = 1, .kind = FailureKind::unavailable, .times = 2});
    auto second = submit(lane, ledger::Grant{alice, 1, {}}, "k2");
    EXPECT_EQ(failure_of(second), FailureKind::unavailable);
    EXPECT_EQ(balance(alice), 1);
}

TEST_F(SharedLaneTest, AnUnknownOutcomeThatTookEffectIsFoundAndConfirmed) {
    Lane& lane = this->lane();
    store.plan_fault({.at = 2, .kind = FailureKind::in_doubt, .took_effect = true});
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_FALSE(answer_of(first).replayed) << "it is the effect of this very request";
    EXPECT_EQ(balance(alice), 1);
    EXPECT_EQ(store.confirms(), 1);
    auto replay = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_TRUE(answer_of(replay).replayed);
    EXPECT_EQ(ended, 0);
}

TEST_F(SharedLaneTest, AnUnknownOutcomeThatDidNotIsDone) {
    Lane& lane = this->lane();
    store.plan_fault({.at = 2, .kind = FailureKind::in_doubt});
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_FALSE(answer_of(first).replayed);
    EXPECT_EQ(balance(alice), 1);
    EXPECT_EQ(store.confirms(), 0) << "the commit was the later write";
    auto replay = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_TRUE(answer_of(replay).replayed);
}

TEST_F(SharedLaneTest, WhatIsFoundIsAnsweredOnlyOnceItIsConfirmed) {
    Lane& lane = this->lane(hurried);
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_FALSE(answer_of(first).replayed);
    EXPECT_EQ(store.confirms(), 0);
    // Whoever sent it may have been told that its outcome is unknown: it need not be this lane.
    // Begin and commit, which finds the key used, then begin and confirm.
    store.plan_fault({.at = 4, .kind = FailureKind::unavailable, .times = 1'000'000});
    auto unconfirmed = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_EQ(failure_of(unconfirmed), FailureKind::in_doubt);
    store.plan_fault({});
    auto replay = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_TRUE(answer_of(replay).replayed);
    EXPECT_EQ(store.confirms(), 1);
    auto rejected = submit(lane, ledger::Spend{bob, 1, {}}, "k");
    EXPECT_TRUE(std::holds_alternative<Rejection>(answer_of(rejected).body));
    EXPECT_EQ(store.confirms(), 1) << "nothing was acknowledged";
}

TEST_F(SharedLaneTest, AnOutcomeThatStaysUnknownIsToldAndTheLaneGoesOn) {
    Lane& lane = this->lane(hurried);
    // The commit took effect, and from then on the database cannot be reached.
    store.plan_fault({.at = 2, .kind = FailureKind::in_doubt, .times = 1, .took_effect = true});
    auto first = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(first).body));
    store.plan_fault({.at = 2, .kind = FailureKind::in_doubt, .times = 1'000'000});
    auto second = submit(lane, ledger::Grant{alice, 2, {}}, "k2");
    EXPECT_EQ(failure_of(second), FailureKind::in_doubt);
    store.plan_fault({});
    auto again = submit(lane, ledger::Grant{alice, 2, {}}, "k2");
    EXPECT_TRUE(std::holds_alternative<Record>(answer_of(again).body));
    EXPECT_EQ(balance(alice), 3);
    EXPECT_EQ(ended, 0);
}

TEST_F(SharedLaneTest, AGuardThatFiresIsNotTriedAgain) {
    const auto spoil = [](ledger::Changes& changes) {
        for (auto& entry : changes.entries) {
            entry.balance_after += 1;
        }
    };
    Lane& lane = this->lane({}, spoil);
    auto bad = submit(lane, ledger::Grant{alice, 1, {}}, "k");
    EXPECT_EQ(failure_of(bad), FailureKind::broken);
    EXPECT_EQ(store.calls(), 2);
    EXPECT_EQ(counters.guards_fired.value(), 1U);
}

TEST_F(SharedLaneTest, AKeyThatIsUsedIsFoundByTheStoreAndThenLookedUp) {
    Lane& lane = opened(1);
    auto again = submit(lane, ledger::Grant{alice, 1, {}}, "k0");
    EXPECT_TRUE(answer_of(again).replayed);
    auto reused = submit(lane, ledger::Grant{alice, 2, {}}, "k0");
    EXPECT_EQ(std::get<Rejection>(answer_of(reused).body).code, Code::idempotency_key_reused);
    EXPECT_EQ(balance(alice), 1);
    lane.stop();
    EXPECT_EQ(keys_looked_up(), (std::vector<std::size_t>{0, 0, 1, 1}))
        << "new, new and refused by the store, looked up, and behind that at once";
    EXPECT_EQ(counters.guards_fired.value(), 0U);
}

TEST_F(SharedLaneTest, AKeyOfARefusalIsFoundByTheStoreAsWell) {
    Lane& lane = opened(1);
    auto refused = submit(lane, ledger::Spend{alice, 5, {}}, "k");
    const auto no = std::get<ledger::Refusal>(answer_of(refused).body);
    (void)submit(lane, ledger::Grant{alice, 9, {}}, "k1").get();
    auto again = submit(lane, ledger::Spend{alice, 5, {}}, "k");
    const Answer replay = answer_of(again);
    EXPECT_TRUE(replay.replayed) << "what was refused is never approved by a late retry";
    EXPECT_EQ(std::get<ledger::Refusal>(replay.body), no);
    EXPECT_EQ(balance(alice), 10);
}

TEST_F(SharedLaneTest, WhatNoRowWouldBackIsSaidOnlyBehindALookUp) {
    Lane& lane = opened(5);
    (void)submit(lane, ledger::PlaceHold{alice, 5, {}}, "k").get();
    auto impossible = submit(lane, ledger::CommitHold{{alice, 2}, 5, alice}, "k");
    EXPECT_EQ(std::get<Rejection>(answer_of(impossible).body).code, Code::idempotency_key_reused)
        << "and not that nothing is committed to the account itself";
}

TEST_F(SharedLaneTest, LooksKeysUpForAWhileBehindAUsedOne) {
    Lane& lane = this->lane();
    for (int i = 0; i < 70; ++i) {
        auto done = submit(lane, ledger::Grant{alice, 1, {}}, i < 2 ? "k" : std::to_string(i));
        EXPECT_EQ(answer_of(done).replayed, i == 1);
    }
    lane.stop();
    const auto looked_up = keys_looked_up();
    EXPECT_EQ(std::ranges::count(looked_up, 1U), 1 + 64);
    EXPECT_EQ(looked_up.back(), 0U) << "and then no more";
}

TEST_F(SharedLaneTest, WhatComesWhileABatchWaitsForItsLocksIsInIt) {
    Lane& lane = opened(10);
    std::vector<std::future<Reply>> came;
    writer_->meanwhile = [&] {
        came.push_back(submit(lane, ledger::Spend{alice, 3, {}}, "k2"));
        came.push_back(submit(lane, ledger::Grant{bob, 5, {}}, "k1"));
        came.push_back(submit(lane, ledger::Spend{alice, 4, {}}, "k3"));
    };
    auto first = submit(lane, ledger::Spend{alice, 2, {}}, "k1");
    EXPECT_EQ(std::get<Record>(answer_of(first).body).subject().balance_after, 8);
    EXPECT_EQ(std::get<Record>(answer_of(came[0]).body).subject().balance_after, 5);
    EXPECT_FALSE(answer_of(came[1]).replayed);
    EXPECT_EQ(std::get<Record>(answer_of(came[2]).body).subject().balance_after, 1);
    EXPECT_EQ(counters.batch_size.total(), 3U) << "bob was not locked, and none overtakes";
    EXPECT_EQ(counters.batch_size.sum(), 5U);
}

TEST_F(SharedLaneTest, WhatCameMeanwhileIsRunAgainWithTheBatch) {
    Lane& lane = opened(10);
    std::vector<std::future<Reply>> came;
    writer_->meanwhile = [&] {
        came.push_back(submit(lane, ledger::Spend{alice, 3, {}}, "k2"));
        store.plan_fault({.at = 1, .kind = FailureKind::in_doubt, .took_effect = true});
    };
    auto first = submit(lane, ledger::Spend{alice, 2, {}}, "k1");
    EXPECT_FALSE(answer_of(first).replayed);
    EXPECT_FALSE(answer_of(came[0]).replayed) << "it is the effect of this very request";
    EXPECT_EQ(balance(alice), 5);
}

TEST_F(SharedLaneTest, WhatRunsAloneBehindAGuardTakesNothingIn) {
    const auto spoil = [](ledger::Changes& to) {
        std::ranges::for_each(to.entries, [](auto& e) { e.balance_after += e.amount == 13; });
    };
    Lane& lane = opened(1, spoil);
    std::vector<std::future<Reply>> came;
    const std::function<void()> come = [&] {
        if (came.size() < 2) {
            came.push_back(submit(lane, ledger::Grant{alice, 1, {}}, std::to_string(came.size())));
            writer_->meanwhile = come;
        }
    };
    writer_->meanwhile = come;
    auto bad = submit(lane, ledger::Grant{alice, 13, {}}, "bad");
    EXPECT_EQ(failure_of(bad), FailureKind::broken);
    for (auto& good : came) {
        EXPECT_FALSE(answer_of(good).replayed);
    }
    EXPECT_EQ(balance(alice), 3);
    EXPECT_EQ(counters.guards_fired.value(), 2U) << "with what had come, and alone";
}

TEST_F(SharedLaneTest, AUsedKeyThatWasLookedUpIsAGuardThatFired) {
    const auto spoil = [](ledger::Changes& changes) {
        for (auto& entry : changes.entries) {
            entry.request->key = entry.amount == 13 ? Key::trusted("k0") : entry.request->key;
        }
    };
    Lane& lane = opened(1, spoil);
    auto bad = submit(lane, ledger::Grant{alice, 13, {}}, "k1");
    EXPECT_EQ(failure_of(bad), FailureKind::broken);
    EXPECT_EQ(counters.guards_fired.value(), 1U);
    EXPECT_EQ(store.calls(), 6) << "guarded, and once with a look";
}

/// A client's story: what each step is decided on depends on the ones before it.
void tell_story(const std::function<void(ledger::Action, const std::string&)>& ask) {
    ask(ledger::Grant{alice, 100, {}}, "k1");
    ask(ledger::Transfer{alice, bob, 40}, "k2");
    ask(ledger::PlaceHold{alice, 60, {}}, "k3");
    ask(ledger::Spend{alice, 1, {}}, "k4");
    ask(ledger::CommitHold{{alice, 3}, 20, {}}, "k5");
    ask(ledger::Reverse{{alice, 2}, 10, {}}, "k6");
}

/// Sends one request until it is answered or the lane has ended. True if something failed.
bool ask_until_answered(Lane& lane, const ledger::Request& request) {
    bool failed = false;
    while (true) {
        auto promise = std::make_shared<std::promise<Reply>>();
        auto future = promise->get_future();
        std::vector<Job> jobs;
        jobs.push_back({request, [promise](Reply reply) {
                            promise->set_value(std::move(reply));
                        }});
        EXPECT_TRUE(lane.submit(jobs));
        const Reply reply = future.get();
        const auto* failure = std::get_if<FailureKind>(&reply);
        if (failure == nullptr) {
            return failed;
        }
        failed = true;
        if (*failure == FailureKind::in_doubt || lane.ended()) {
            return true;
        }
    }
}

/// Fails the n-th call of the store, n = 1, 2, 3 … until a run meets no fault. The client sends
/// every request until it is answered, and after the lane has ended (twice is enough) tells its
/// whole story again with the same keys; it must end where it would have without the fault.
void fail_at_every_step(Fault fault, InDoubt in_doubt = InDoubt::end) {
    for (int at = 1;; ++at) {
        SCOPED_TRACE(at);
        const ManualClock clock(Instant{1'000'000});
        const Keys keys = in_doubt == InDoubt::settle ? Keys::guarded : Keys::looked_up;
        MemoryStore store(clock);
        fault.at = at;
        store.plan_fault(fault);
        bool met = false;
        for (int run = 0; run < 2; ++run) {
            Counters counters;
            Lane lane(store.writer(), {}, in_doubt, keys, counters, [] {});
            tell_story([&](ledger::Action action, const std::string& key) {
                met = ask_until_answered(lane, request_of(std::move(action), key)) || met;
            });
            lane.stop();
        }
        const auto reader = store.reader();
        const auto view = reader->account(alice);
        ASSERT_TRUE(view.has_value());
        EXPECT_EQ(reader->account(bob)->account.balance, 30);
        EXPECT_EQ(view->account.balance, 50);
        EXPECT_EQ(view->account.held, 0);
        EXPECT_EQ(view->account.seq, 5);
        if (!met && store.calls() < at) {
            EXPECT_GT(at, 10);  // the story has six begins and six commits
            return;
        }
    }
}

TEST(LaneFailing, AtEveryStepWithNothingDoneEndsTheSameWhenSentAgain) {
    fail_at_every_step({.kind = FailureKind::unavailable});
    fail_at_every_step({.kind = FailureKind::busy});
}

TEST(LaneFailing, AtEveryStepWithAnUnknownOutcomeEndsTheSameWhenSentAgain) {
    fail_at_every_step({.kind = FailureKind::in_doubt});
    fail_at_every_step({.kind = FailureKind::in_doubt, .took_effect = true});
}

TEST(LaneFailing, AtEveryStepOfASharedStoreEndsTheSame) {
    for (const int times : {1, 3}) {
        fail_at_every_step({.times = times, .conflict = true}, InDoubt::settle);
        fail_at_every_step({.kind = FailureKind::unavailable, .times = times}, InDoubt::settle);
        fail_at_every_step({.kind = FailureKind::in_doubt, .times = times}, InDoubt::settle);
        fail_at_every_step({.kind = FailureKind::in_doubt, .times = times, .took_effect = true},
                           InDoubt::settle);
    }
}

TEST(LanesTogether, KeepRequestsOfOneSubjectInOrder) {
    const ManualClock clock(Instant{1'000'000});
    MemoryStore store(clock);
    Counters counters;
    Lanes lanes(store, 4, {}, counters, [] {});
    std::vector<std::int64_t> seqs;
    auto done = std::make_shared<std::promise<void>>();
    auto all_done = done->get_future();
    std::vector<Job> jobs;
    for (int i = 0; i < 200; ++i) {
        jobs.push_back({request_of(ledger::Grant{alice, 1, {}}, "k" + std::to_string(i)),
                        [&seqs, done](const Reply& reply) {
                            const auto& answer = std::get<Answer>(reply);
                            seqs.push_back(std::get<Record>(answer.body).subject().seq);
                            if (seqs.size() == 200) {
                                done->set_value();
                            }
                        }});
    }
    lanes.submit(std::move(jobs));
    all_done.wait();
    for (std::size_t i = 0; i < seqs.size(); ++i) {
        EXPECT_EQ(seqs[i], static_cast<std::int64_t>(i) + 1);
    }
}

}  // namespace
}  // namespace passbook::writer
