// SPDX-License-Identifier: Apache-2.0
// One trip that writes without having read: what PostgreSQL takes of it, and what it does not.
#include <gtest/gtest.h>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "ledger/decide.h"
#include "store/postgres/postgres_store.h"
#include "tests/servers/postgres_database.h"

namespace passbook::contract {
namespace {

using ledger::Action;
using ledger::Changes;
using ledger::Grant;
using ledger::Spend;
using ledger::State;

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");

/// An empty key is none.
ledger::Request request_of(Action action, const std::string& key) {
    const auto own = key.empty() ? std::nullopt : std::optional(Key::trusted(key));
    return ledger::prepare({.action = std::move(action), .key = own}).value();
}

class PostgresAppends : public testing::Test {
protected:
    PostgresAppends() {
        run(Grant{alice, 100, {}}, "a");
        run(Grant{bob, 100, {}}, "b");
    }

    /// By another server.
    void run(Action action, const std::string& key) {
        const auto request = request_of(std::move(action), key);
        State state = other->begin({ledger::need_of(request.command)});
        Changes changes;
        (void)ledger::decide(state, request, changes);
        other->commit(changes);
    }

    /// As a lane that has just met both.
    State known() {
        State state = writer->begin({{.subject = alice, .accounts = {alice, bob}}});
        writer->rollback();
        state.now = {};
        return state;
    }

    /// What is sent for the action. It must follow from the state.
    static Changes decided(State& state, Action action, const std::string& key) {
        Changes changes;
        const auto answer = ledger::decide(state, request_of(std::move(action), key), changes);
        EXPECT_TRUE(std::holds_alternative<ledger::Record>(answer.body));
        return changes;
    }

    Instant append(const State& state, const Changes& changes) {
        sender->send(state, changes);
        return sender->settle();
    }
    Instant append(State state, Action action, const std::string& key) {
        const Changes changes = decided(state, std::move(action), key);
        return append(state, changes);
    }

    [[nodiscard]] ledger::Account account(const AccountId& id = alice) {
        return store->reader()->account(id)->account;
    }

    test::PostgresDatabase database;
    SystemClock clock;
    std::unique_ptr<store::Store> store =
        store::postgres::open(database.url(), store::Access::write, clock);
    std::unique_ptr<store::Writer> writer = store->writer();
    std::unique_ptr<store::Writer> other = store->writer();
    store::Sender* sender = writer->sender();
};

TEST_F(PostgresAppends, WhatFollowsIsWrittenAtTheTimeThatIsTold) {
    const auto before = clock.now();
    State state = known();
    Changes changes = decided(state, Spend{alice, 30, {}}, "k1");
    for (const auto& [action, key] :
         {std::pair<Action, const char*>{Grant{bob, 5, {}}, "k2"}, {Spend{alice, 20, {}}, "k3"}}) {
        const Changes more = decided(state, action, key);
        changes.entries.insert(changes.entries.end(), more.entries.begin(), more.entries.end());
    }
    const Instant time = append(state, changes);
    EXPECT_GE(time, before);
    EXPECT_LE(time, clock.now());
    EXPECT_EQ(account().balance, 50);
    EXPECT_EQ(account().seq, 3);
    EXPECT_EQ(account(bob).balance, 105);
    for (const auto& [id, seq] : {std::pair(alice, 1), std::pair(bob, 1), std::pair(alice, 2)}) {
        EXPECT_EQ(store->reader()->entries(id, seq, 1).at(0).recorded_at, time);
    }
}

TEST_F(PostgresAppends, NothingIsRecordedBeforeTheLastEntry) {
    State state = known();
    const Instant later{clock.now().micros + 3'600'000'000};
    state.accounts.at(alice).recorded_at = later;
    (void)append(state, Spend{alice, 1, {}}, "k");
    EXPECT_EQ(account().recorded_at, later);
}

TEST_F(PostgresAppends, AnAccountThatHasMovedOnIsStale) {
    const std::pair<Action, const char*> moves[] = {
        {Spend{alice, 10, {}}, "spent"},
        {ledger::PutAccount{.account = alice, .floor = -5}, ""},
        {ledger::PlaceHold{alice, 10, {}}, "held"},
        {ledger::Transfer{bob, alice, 10}, "transferred"},
        {ledger::SetStatus{alice, ledger::EntryKind::freeze}, "frozen"},
    };
    for (const auto& [action, key] : moves) {
        const State state = known();
        run(action, key);
        const auto before = account();
        EXPECT_THROW((void)append(state, Spend{alice, 1, {}}, "k"), Conflict) << key;
        EXPECT_EQ(account(), before) << key;
    }
    (void)append(known(), Spend{bob, 1, {}}, "after");
    EXPECT_EQ(account(bob).balance, 89);
}

/// As where a store was restored and went another way: the next number fits, and nothing else.
TEST_F(PostgresAppends, WhatStandsOtherwiseAtTheSameNumberIsStale) {
    const auto before = account();
    const std::pair<const char*, std::function<void(ledger::Account&)>> differences[] = {
        {"balance",
         [](auto& known) {
             ++known.balance;
         }},
        {"floor",
         [](auto& known) {
             known.limits.floor = -1;
         }},
        {"no floor",
         [](auto& known) {
             known.limits.floor.reset();
         }},
        {"ceiling",
         [](auto& known) {
             known.limits.ceiling = 1'000;
         }},
        {"a later seq",
         [](auto& known) {
             ++known.seq;
         }},
        {"an earlier seq",
         [](auto& known) {
             --known.seq;
         }},
        {"held",
         [](auto& known) {
             known.held = 1;
         }},
    };
    for (const auto& [what, differ] : differences) {
        State state = known();
        differ(state.accounts.at(alice));
        EXPECT_THROW((void)append(state, Spend{alice, 1, {}}, "k"), Conflict) << what;
        EXPECT_EQ(account(), before) << what;
    }
    (void)append(known(), Spend{alice, 1, {}}, "k");
    EXPECT_EQ(account().balance, 99);
}

TEST_F(PostgresAppends, AnAccountThatDoesNotExistIsStale) {
    State state = known();
    const AccountId nobody = AccountId::trusted("nobody");
    ledger::Account made = state.accounts.at(alice);
    made.id = nobody;
    state.accounts.emplace(nobody, made);
    Changes changes = decided(state, Spend{nobody, 1, {}}, "k");
    const Changes more = decided(state, Spend{alice, 1, {}}, "k");
    changes.entries.insert(changes.entries.end(), more.entries.begin(), more.entries.end());
    EXPECT_THROW((void)append(state, changes), Stale);
    EXPECT_EQ(account().balance, 100);
}

TEST_F(PostgresAppends, AUsedKeyIsToldApart) {
    run(Spend{alice, 1'000, {}}, "refused");
    for (const char* key : {"a", "refused"}) {
        EXPECT_THROW((void)append(known(), Spend{alice, 1, {}}, key), KeyUsed) << key;
    }
    EXPECT_EQ(account().balance, 100);
}

/// Were a row written before its account is locked, who holds the lock would wait for that row.
TEST_F(PostgresAppends, WhoHasTheAccountLockedIsNeverWaitedForWithARowInHand) {
    const State state = known();
    const auto request = request_of(Spend{alice, 60, {}}, "first");
    State locked = other->begin({ledger::need_of(request.command)});
    Changes first;
    (void)ledger::decide(locked, request, first);
    auto second = std::async(std::launch::async,
                             [&] { (void)append(state, Spend{alice, 60, {}}, "second"); });
    database.run(
        "DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM pg_stat_clear_snapshot(); IF EXISTS (SELECT FROM "
        "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock') THEN "
        "RETURN; END IF; PERFORM pg_sleep(0.01); END LOOP; RAISE 'nobody waits'; END $$");
    EXPECT_NO_THROW(other->commit(first));
    try {
        second.get();
        FAIL() << "nothing was thrown";
    } catch (const Conflict& conflict) {
        EXPECT_NE(conflict.native(), "40P01") << "a deadlock";
    }
    EXPECT_EQ(account().balance, 40);
}

TEST_F(PostgresAppends, OverALinkThatHasEndedNothingIsSent) {
    State state = known();
    const auto links = sender->links();
    database.run(
        "DO $$ BEGIN PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = "
        "current_database() AND usename = 'passbook_server'; END $$");
    try {
        (void)append(state, Spend{alice, 1, {}}, "k");
        FAIL() << "nothing was thrown";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.kind(), FailureKind::unavailable);
    }
    EXPECT_EQ(account().balance, 100);
    (void)append(known(), Spend{alice, 1, {}}, "k");
    EXPECT_GT(sender->links(), links);
    EXPECT_EQ(account().balance, 99);
}

TEST_F(PostgresAppends, OnlyWhereTheGuardsAre) {
    ASSERT_NE(sender, nullptr);
    const std::string url = database.url();
    const char joint = url.find('?') == std::string::npos ? '?' : '&';
    const auto spread =
        store::postgres::open(url + joint + "one_shard=true", store::Access::write, clock);
    EXPECT_EQ(spread->writer()->sender(), nullptr);
    const ManualClock set(Instant{7});
    const auto timed = store::postgres::open(url, store::Access::write, set);
    EXPECT_EQ(timed->writer()->sender(), nullptr);
}

}  // namespace
}  // namespace passbook::contract
