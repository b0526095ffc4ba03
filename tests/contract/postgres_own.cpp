// SPDX-License-Identifier: Apache-2.0
// What is PostgreSQL's own: its locks, what its errors and a broken link mean to a writer, its
// schema's versions. What every store does is in the other files.
#include <gtest/gtest.h>
#include <future>
#include <thread>
#include <utility>

#include "base/failpoint.h"
#include "ledger/decide.h"
#include "store/postgres/postgres_store.h"
#include "tests/servers/postgres_database.h"

namespace passbook::contract {
namespace {

using ledger::Changes;
using ledger::Grant;
using ledger::Need;
using ledger::Spend;
using store::Access;
using test::PostgresDatabase;

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");

struct Thrown {
    FailureKind kind = FailureKind::broken;
    bool is_conflict = false;
    std::string native;
    std::string text;
};

/// What the call threw; a test failure where it threw nothing.
Thrown thrown_by(const std::function<void()>& call) {
    try {
        call();
    } catch (const Failure& failure) {
        return {failure.kind(), dynamic_cast<const Conflict*>(&failure) != nullptr,
                failure.native(), failure.what()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

class PostgresOwn : public testing::Test {
protected:
    std::unique_ptr<store::Store> open(const std::string& url) {
        return store::postgres::open(url, Access::write, clock);
    }

    /// Begins and decides; the transaction stays open.
    static Changes decided(store::Writer& writer, ledger::Action action, const std::string& key) {
        const auto request =
            ledger::prepare({.action = std::move(action), .key = Key::trusted(key)});
        ledger::State state = writer.begin({ledger::need_of(request->command)});
        Changes changes;
        (void)ledger::decide(state, *request, changes);
        return changes;
    }
    static void run(store::Writer& writer, ledger::Action action, const std::string& key) {
        writer.commit(decided(writer, std::move(action), key));
    }

    [[nodiscard]] Amount balance(const AccountId& id = alice) {
        const auto view = store->reader()->account(id);
        return view ? view->account.balance : 0;
    }

    /// Ends what the server's role has open in the database, as an administrator or a crash would.
    void cut_all_links() {
        database.run(
            "DO $$ BEGIN PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND usename = 'passbook_server'; END $$");
    }
    /// Waits until a session of the server's role waits for what `wait` names, then does `then`.
    void when_waiting_for(const std::string& wait, const std::string& then) {
        database.run(
            "DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM pg_stat_clear_snapshot(); "
            "IF EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() "
            "AND usename = 'passbook_server' AND " +
            wait + ") THEN PERFORM " + then +
            "; RETURN; END IF; PERFORM pg_sleep(0.01); END LOOP; "
            "RAISE 'nobody waits'; END $$");
    }

    SystemClock clock;
    PostgresDatabase database;
    std::unique_ptr<store::Store> store = open(database.url());
    std::unique_ptr<store::Writer> writer = store->writer();
};

TEST_F(PostgresOwn, AKeyThatWasNotLookedUpIsFoundByTheGuards) {
    run(*writer, Grant{alice, 10, {}}, "granted");
    run(*writer, Spend{alice, 11, {}}, "refused");
    const std::pair<const char*, ledger::Action> attempts[] = {{"granted", Grant{alice, 1, {}}},
                                                               {"granted", Spend{alice, 11, {}}},
                                                               {"refused", Grant{alice, 1, {}}},
                                                               {"refused", Spend{alice, 11, {}}}};
    for (const auto& [key, action] : attempts) {
        const auto request = ledger::prepare({.action = action, .key = Key::trusted(key)});
        ledger::State state = writer->begin({Need{.subject = alice, .accounts = {alice}}});
        EXPECT_TRUE(ledger::covers(state, ledger::need_of(request->command)));
        Changes changes;
        EXPECT_FALSE(ledger::decide(state, *request, changes).replayed);
        EXPECT_THROW(writer->commit(changes), KeyUsed) << key;
    }
    EXPECT_EQ(balance(), 10);
}

TEST_F(PostgresOwn, KeysAreLookedUpWhereAnEngineMayHaveNoGuards) {
    EXPECT_TRUE(store->guards_keys());
    const std::string url = database.url();
    const char joint = url.find('?') == std::string::npos ? '?' : '&';
    EXPECT_FALSE(open(url + joint + "one_shard=true")->guards_keys());
}

TEST_F(PostgresOwn, WhatWasCommittedWhileALockWasWaitedForIsSeen) {
    run(*writer, Grant{alice, 100, {}}, "g");
    const Changes first = decided(*writer, Spend{alice, 60, {}}, "s");
    auto second = std::async(std::launch::async, [&] {
        const auto other = store->writer();
        auto state =
            other->begin({Need{.subject = alice, .key = Key::trusted("s"), .accounts = {alice}}});
        other->rollback();
        return std::pair(state, other->lock_wait());
    });
    when_waiting_for("wait_event_type = 'Lock'", "true");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    writer->commit(first);
    const auto [state, lock_wait] = second.get();
    EXPECT_EQ(state.accounts.at(alice).balance, 40);
    EXPECT_EQ(state.accounts.at(alice).seq, 2);
    EXPECT_TRUE(state.outcomes.contains({alice, Key::trusted("s")}));
    EXPECT_GE(lock_wait, std::chrono::milliseconds(50));
    EXPECT_LT(lock_wait, std::chrono::seconds(10));
}

TEST_F(PostgresOwn, BeginReadsTheTime) {
    const auto before = clock.now();
    const auto state = writer->begin({});
    writer->rollback();
    EXPECT_GE(state.now, before);
    EXPECT_LE(state.now, clock.now());
    EXPECT_TRUE(store->shared());
}

TEST_F(PostgresOwn, TwoThatOpenAnAccountAtOnceGoOneAfterTheOther) {
    run(*writer, Grant{bob, 5, {}}, "k");  // the asset is in use: its row is no longer locked
    const auto other = store->writer();
    const Changes changes = decided(*other, Grant{alice, 5, {}}, "k1");
    run(*writer, Grant{alice, 5, {}}, "k2");
    const Thrown thrown = thrown_by([&] { other->commit(changes); });
    EXPECT_TRUE(thrown.is_conflict) << thrown.text;
    EXPECT_EQ(thrown.native, "23505");
    run(*other, Grant{alice, 5, {}}, "k1");
    EXPECT_EQ(balance(), 10);
}

TEST_F(PostgresOwn, TwoThatPutAnAssetAtOnceGoOneAfterTheOther) {
    run(*writer, Grant{alice, 5, {}}, "k");
    const auto put = [](store::Writer& by, ledger::PutAsset action) {
        const auto request = ledger::prepare({.action = std::move(action)});
        ledger::State state = by.begin({ledger::need_of(request->command)});
        Changes changes;
        (void)ledger::decide(state, *request, changes);
        return changes;
    };
    const AssetCode point = ledger::default_asset().code;
    const Changes first = put(*writer, {.asset = point, .ceiling = 50});
    auto second = std::async(std::launch::async, [&] {
        const auto other = store->writer();
        other->commit(put(*other, {.asset = point, .floor = -7}));
    });
    when_waiting_for("wait_event_type = 'Lock'", "true");
    writer->commit(first);
    second.get();
    EXPECT_EQ(store->reader()->asset(point)->ceiling, 50);
    EXPECT_EQ(store->reader()->asset(point)->floor, -7);
}

TEST_F(PostgresOwn, OnlyWhatOpensAnAccountWaitsForAnAssetThatHasNone) {
    const AssetCode coin = AssetCode::trusted("coin");
    const auto request = ledger::prepare({.action = ledger::PutAsset{.asset = coin}});
    ledger::State state = writer->begin({ledger::need_of(request->command)});
    Changes changes;
    (void)ledger::decide(state, *request, changes);
    writer->commit(changes);
    run(*writer, Grant{alice, 5, coin}, "k1");
    run(*writer, Grant{bob, 5, coin}, "k2");

    // `point` is still in use by none.
    const auto impatient = open(database.url() + "?options=-c%20lock_timeout%3D50ms")->writer();
    const Changes first = decided(*writer, Spend{alice, 1, coin}, "k3");
    run(*impatient, Spend{bob, 1, coin}, "k4");
    writer->commit(first);
    const Changes opens = decided(*writer, Grant{AccountId::trusted("carol"), 1, {}}, "k5");
    const Thrown thrown =
        thrown_by([&] { run(*impatient, Grant{AccountId::trusted("dave"), 1, {}}, "k6"); });
    EXPECT_EQ(thrown.native, "55P03") << thrown.text;
    run(*impatient, Spend{bob, 1, coin}, "k7");
    writer->commit(opens);
    EXPECT_EQ(balance(bob), 3);
}

TEST_F(PostgresOwn, TheTimeIsThatBehindTheLastLock) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const AssetCode coin = AssetCode::trusted("coin");
    const auto request = ledger::prepare({.action = ledger::PutAsset{.asset = coin}});
    ledger::State put = writer->begin({ledger::need_of(request->command)});
    Changes changes;
    (void)ledger::decide(put, *request, changes);
    writer->commit(changes);

    const Changes opens = decided(*writer, Grant{bob, 1, coin}, "k2");
    auto second = std::async(std::launch::async, [&] {
        const auto other = store->writer();
        (void)other->begin({Need{
            .subject = alice, .accounts = {alice, AccountId::trusted("carol")}, .assets = {coin}}});
        other->rollback();
        return other->lock_wait();
    });
    when_waiting_for("wait_event_type = 'Lock'", "true");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    writer->commit(opens);
    EXPECT_GE(second.get(), std::chrono::milliseconds(50)) << "alice's was had at once";
}

TEST_F(PostgresOwn, AnAccountOpensByItsAssetAsItIsNow) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    run(*writer, Grant{alice, 5, {}}, "k2");  // saw the asset in use
    const auto request = ledger::prepare(
        {.action = ledger::PutAsset{.asset = ledger::default_asset().code, .ceiling = 7}});
    const auto other = open(database.url())->writer();
    ledger::State state = other->begin({ledger::need_of(request->command)});
    Changes changes;
    (void)ledger::decide(state, *request, changes);
    other->commit(changes);
    run(*writer, Grant{bob, 5, {}}, "k3");
    EXPECT_EQ(store->reader()->account(alice)->account.limits.ceiling, std::nullopt);
    EXPECT_EQ(store->reader()->account(bob)->account.limits.ceiling, 7);
}

TEST_F(PostgresOwn, WhatWasSeenOfAnAssetIsForgottenWithTheLink) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    run(*writer, Grant{alice, 5, {}}, "k2");  // saw the asset in use
    // As another backup would have it.
    database.run(
        "ALTER TABLE passbook.assets DISABLE TRIGGER ALL; "
        "UPDATE passbook.assets SET balanced = true; "
        "ALTER TABLE passbook.assets ENABLE ALWAYS TRIGGER assets_redefine");
    cut_all_links();
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k3");
    writer->rollback();
    ASSERT_EQ(changes.refusals.size(), 1U);
    EXPECT_EQ(changes.refusals.front().refusal.code, Code::unbalanced_transaction);
}

TEST_F(PostgresOwn, ALockThatDoesNotComeAsksForTheWholeTransactionAgain) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const auto impatient = open(database.url() + "?options=-c%20lock_timeout%3D50ms")->writer();
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    const Thrown thrown = thrown_by([&] { (void)impatient->begin({Need{.accounts = {alice}}}); });
    EXPECT_TRUE(thrown.is_conflict) << thrown.text;
    EXPECT_EQ(thrown.kind, FailureKind::busy);
    EXPECT_EQ(thrown.native, "55P03");
    writer->commit(changes);
    run(*impatient, Grant{alice, 5, {}}, "k3");
    EXPECT_EQ(balance(), 15);
}

TEST_F(PostgresOwn, ALinkThatBrokeWhileIdleIsReplacedUnseen) {
    const auto reader = store->reader();
    run(*writer, Grant{alice, 5, {}}, "k1");
    EXPECT_EQ(reader->account(alice)->account.balance, 5);
    cut_all_links();
    run(*writer, Grant{alice, 5, {}}, "k2");
    EXPECT_EQ(reader->account(alice)->account.balance, 10);
}

TEST_F(PostgresOwn, ALinkThatBreaksInATransactionIsNeverAnsweredAsDone) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    cut_all_links();
    EXPECT_EQ(thrown_by([&] { writer->commit(changes); }).kind, FailureKind::in_doubt);
    // The key tells, on a new link.
    const auto state = writer->begin({Need{.subject = alice, .key = Key::trusted("k2")}});
    writer->rollback();
    EXPECT_TRUE(state.outcomes.empty());
    EXPECT_NO_THROW(writer->confirm());
    run(*writer, Grant{alice, 5, {}}, "k2");
    EXPECT_EQ(balance(), 10);
}

TEST_F(PostgresOwn, AWaitForALockThatIsCutIsUnavailableAndPasses) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    auto waiting = std::async(std::launch::async, [&] {
        const auto other = store->writer();
        const Thrown thrown = thrown_by([&] { (void)other->begin({Need{.accounts = {alice}}}); });
        run(*other, Grant{bob, 5, {}}, "k3");
        return thrown;
    });
    when_waiting_for("wait_event_type = 'Lock'",
                     "pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                     "datname = current_database() AND wait_event_type = 'Lock'");
    const Thrown thrown = waiting.get();
    EXPECT_EQ(thrown.kind, FailureKind::unavailable) << thrown.text;
    EXPECT_EQ(thrown.native, "57P01");
    writer->commit(changes);
    EXPECT_EQ(balance(), 10);
    EXPECT_EQ(balance(bob), 5);
}

TEST_F(PostgresOwn, ACommitThatDidNotReachItsStandbyIsInDoubt) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    database.run("ALTER DATABASE " + database.name() + " SET synchronous_commit = on");
    const auto waiting = open(database.url())->writer();
    auto outcome = std::async(std::launch::async, [&] {
        return thrown_by([&] { run(*waiting, Grant{alice, 5, {}}, "k2"); });
    });
    const std::string cancel =
        "pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND "
        "wait_event = 'SyncRep'";
    when_waiting_for("wait_event = 'SyncRep'", cancel);
    const Thrown commit = outcome.get();
    EXPECT_EQ(commit.kind, FailureKind::in_doubt) << commit.text;

    // It is written here, and seen; but no later write of ours is acknowledged either.
    const auto state = waiting->begin({Need{.subject = alice, .key = Key::trusted("k2")}});
    waiting->rollback();
    EXPECT_TRUE(state.outcomes.contains({alice, Key::trusted("k2")}));
    outcome =
        std::async(std::launch::async, [&] { return thrown_by([&] { waiting->confirm(); }); });
    when_waiting_for("wait_event = 'SyncRep'", cancel);
    EXPECT_EQ(outcome.get().kind, FailureKind::unavailable);
}

TEST_F(PostgresOwn, WhatWasReadOnALinkThatIsGoneIsNotConfirmed) {
    (void)writer->begin({});
    writer->rollback();
    EXPECT_NO_THROW(writer->confirm());
    cut_all_links();
    EXPECT_EQ(thrown_by([&] { writer->confirm(); }).kind, FailureKind::unavailable);
    EXPECT_EQ(thrown_by([&] { writer->confirm(); }).kind, FailureKind::unavailable);
    run(*writer, Grant{alice, 5, {}}, "k");
    EXPECT_NO_THROW(writer->confirm());
}

TEST_F(PostgresOwn, AGuardThatFiresLeavesTheLinkAsItWas) {
    Changes changes = decided(*writer, Grant{alice, 5, {}}, "k");
    changes.entries.at(0).balance_after = 6;
    EXPECT_THROW(writer->commit(changes), GuardFired);
    run(*writer, Grant{alice, 5, {}}, "k");
    EXPECT_EQ(balance(), 5);
}

TEST_F(PostgresOwn, ATextThatTheDatabaseCannotHoldIsRefusedLikeABadRow) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    changes.entries.at(0).reason = std::string("a\0b", 3);
    EXPECT_THROW(writer->commit(changes), GuardFired);
    changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    changes.entries.at(0).reason = "\xff";
    EXPECT_THROW(writer->commit(changes), GuardFired);
    EXPECT_EQ(balance(), 5);
}

TEST_F(PostgresOwn, EntriesOfAccountsThatNoNeedNamedAreTaken) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    writer->rollback();
    (void)writer->begin({});
    writer->commit(changes);
    EXPECT_EQ(balance(), 10);
}

TEST_F(PostgresOwn, ASnapshotIsWalkedPageByPage) {
    constexpr int count = 2'500;
    std::vector<ledger::Request> requests;
    std::vector<Need> needs;
    for (int i = 0; i < count; ++i) {
        requests.push_back(*ledger::prepare(
            {.action = Grant{alice, 1, {}}, .key = Key::trusted("k" + std::to_string(i))}));
        needs.push_back(ledger::need_of(requests.back().command));
    }
    ledger::State state = writer->begin(needs);
    Changes changes;
    for (const ledger::Request& request : requests) {
        (void)ledger::decide(state, request, changes);
    }
    writer->commit(changes);
    const auto reader = store->reader();
    const auto snapshot = reader->snapshot(shard_of("alice"));
    run(*writer, Grant{alice, 1, {}}, "later");
    ledger::Entry entry{.account = bob};
    for (int seq = 1; seq <= count; ++seq) {
        ASSERT_TRUE(snapshot->next(entry));
        ASSERT_EQ(entry.seq, seq);
    }
    EXPECT_FALSE(snapshot->next(entry));
    EXPECT_FALSE(snapshot->next(entry));
}

TEST_F(PostgresOwn, ASnapshotWhoseLinkBrokeIsNeverGoneOnWithAnother) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const auto reader = store->reader();
    {
        const auto snapshot = reader->snapshot(shard_of("alice"));
        cut_all_links();
        EXPECT_EQ(thrown_by([&] { (void)reader->account(alice); }).kind, FailureKind::unavailable);
        EXPECT_EQ(thrown_by([&] { (void)reader->snapshot(shard_of("bob")); }).kind,
                  FailureKind::unavailable);
    }
    EXPECT_EQ(reader->account(alice)->account.balance, 5);
}

TEST_F(PostgresOwn, FailpointsFailAsTheDatabaseWould) {
    for (const std::string point :
         {"postgres_after_begin", "postgres_mid_write", "postgres_before_commit"}) {
        ASSERT_TRUE(arm_failpoints(point + "=fail@1"));
        EXPECT_EQ(thrown_by([&] { run(*writer, Grant{alice, 5, {}}, "k"); }).kind,
                  FailureKind::unavailable)
            << point;
        EXPECT_EQ(balance(), 0) << point;
    }
    ASSERT_TRUE(arm_failpoints("postgres_after_commit=fail@1"));
    EXPECT_EQ(thrown_by([&] { run(*writer, Grant{alice, 5, {}}, "k"); }).kind,
              FailureKind::in_doubt);
    EXPECT_EQ(balance(), 5);
    ASSERT_TRUE(arm_failpoints(""));
}

TEST_F(PostgresOwn, AReadOnlyDatabaseTakesNoWriterButReads) {
    run(*writer, Grant{alice, 5, {}}, "k");
    database.run("ALTER DATABASE " + database.name() + " SET default_transaction_read_only = on");
    EXPECT_EQ(thrown_by([&] { (void)open(database.url()); }).kind, FailureKind::unavailable);
    const auto reading = store::postgres::open(database.url(), Access::read, clock);
    EXPECT_EQ(reading->reader()->account(alice)->account.balance, 5);
    EXPECT_EQ(thrown_by([&] { (void)reading->writer(); }).kind, FailureKind::unavailable);
}

TEST_F(PostgresOwn, NobodyThereIsUnavailable) {
    const Thrown thrown = thrown_by([&] { (void)open("postgresql://me:secret@127.0.0.1:1/none"); });
    EXPECT_EQ(thrown.kind, FailureKind::unavailable);
    EXPECT_EQ(thrown.text.find("secret"), std::string::npos) << thrown.text;
    EXPECT_EQ(store->describe().find("postgresql://passbook_server@127.0.0.1:"), 0U);
}

TEST_F(PostgresOwn, OnlyMigrateMakesAStoreAndManyMayAtOnce) {
    const PostgresDatabase empty(PostgresDatabase::With::nothing);
    const std::string url = empty.url("postgres");
    const Thrown thrown = thrown_by([&] { (void)open(url); });
    EXPECT_EQ(thrown.kind, FailureKind::broken);
    EXPECT_NE(thrown.text.find("run `passbook migrate --store postgresql://postgres@"),
              std::string::npos)
        << thrown.text;
    std::vector<std::future<void>> all;
    for (int i = 0; i < 4; ++i) {
        all.push_back(std::async(std::launch::async, [&] { store::postgres::migrate(url); }));
    }
    for (auto& each : all) {
        EXPECT_NO_THROW(each.get());
    }
    EXPECT_EQ(open(url)->reader()->assets(), std::vector{ledger::default_asset()});
}

TEST_F(PostgresOwn, AnothersSchemaAndARoleWithoutRightsAreNamed) {
    const PostgresDatabase other(PostgresDatabase::With::nothing);
    other.run("CREATE SCHEMA passbook; CREATE TABLE passbook.theirs (a int)");
    const std::string url = other.url("postgres");
    for (const auto& call : {std::function<void()>([&] { (void)open(url); }),
                             std::function<void()>([&] { store::postgres::migrate(url); })}) {
        const Thrown thrown = thrown_by(call);
        EXPECT_EQ(thrown.kind, FailureKind::broken);
        EXPECT_NE(thrown.text.find("not a Passbook store"), std::string::npos) << thrown.text;
    }
    const auto reader_role = open(database.url("passbook_reader"))->writer();
    const Thrown thrown = thrown_by([&] { run(*reader_role, Grant{alice, 5, {}}, "k"); });
    EXPECT_EQ(thrown.kind, FailureKind::broken);
    EXPECT_EQ(thrown.native, "42501");
    EXPECT_NE(thrown.text.find("the role lacks a privilege"), std::string::npos) << thrown.text;
}

TEST_F(PostgresOwn, AStoreOfANewerReleaseIsRefusedOnlyIfItSaysSo) {
    database.run("UPDATE passbook.format SET version = 99");
    EXPECT_NO_THROW((void)open(database.url()));
    EXPECT_NO_THROW(store::postgres::migrate(database.url("passbook_owner")));
    database.run("UPDATE passbook.format SET min_version = 99");
    EXPECT_EQ(thrown_by([&] { (void)open(database.url()); }).kind, FailureKind::broken);
    EXPECT_EQ(thrown_by([&] { store::postgres::migrate(database.url("passbook_owner")); }).kind,
              FailureKind::broken);
    // Each new link looks: a server that was there before the upgrade ends as well.
    cut_all_links();
    EXPECT_EQ(thrown_by([&] { (void)writer->begin({}); }).kind, FailureKind::broken);
}

TEST_F(PostgresOwn, AnybodysTablesAreReadRowByRow) {
    database.run(
        "CREATE TABLE public.t (id text, n bigint, x numeric); "
        "INSERT INTO public.t VALUES ('a', 1, 1), ('b', -2, 2), ('c', 3, 1.5)");
    const auto tables = store::postgres::open_tables(database.url("postgres"));
    using Rows = std::vector<std::pair<std::string, std::int64_t>>;
    Rows found;
    const auto add = [&](std::string_view id, std::int64_t n) {
        found.emplace_back(id, n);
    };
    tables->query("SELECT id, n FROM t WHERE x <> 1.5 ORDER BY id", add);
    EXPECT_EQ(found, (Rows{{"a", 1}, {"b", -2}}));
    found.clear();
    tables->query("SELECT 7 AS id, sum(n) FROM t", add);
    EXPECT_EQ(found, (Rows{{"7", 2}}));
    EXPECT_EQ(thrown_by([&] { tables->query("SELECT id, x FROM t ORDER BY id", add); }).text,
              "row 3 is not (id, integer): SELECT id, x FROM t ORDER BY id");
    for (const char* wrong : {"SELECT id FROM t", "SELECT nothing FROM t", "SELECT id, id FROM t",
                              "SELECT id, NULL::int FROM t", "SELECT 1, 2; SELECT 3, 4", ""}) {
        EXPECT_EQ(thrown_by([&] { tables->query(wrong, add); }).kind, FailureKind::broken) << wrong;
    }
    EXPECT_EQ(thrown_by([&] { tables->query("DELETE FROM t RETURNING id, n", add); }).kind,
              FailureKind::unavailable);
}

}  // namespace
}  // namespace passbook::contract
