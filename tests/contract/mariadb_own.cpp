// SPDX-License-Identifier: Apache-2.0
// What is MariaDB's own: its locks, what its errors and a broken link mean to a writer, its
// schema's versions. What every store does is in the other files.
#include <gtest/gtest.h>
#include <future>
#include <thread>
#include <utility>

#include "base/failpoint.h"
#include "ledger/decide.h"
#include "store/mariadb/mariadb_store.h"
#include "tests/servers/mariadb_database.h"

namespace passbook::contract {
namespace {

using ledger::Changes;
using ledger::Grant;
using ledger::Need;
using ledger::Spend;
using store::Access;
using test::MariadbDatabase;

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

class MariadbOwn : public testing::Test {
protected:
    std::unique_ptr<store::Store> open(const std::string& url) {
        return store::mariadb::open(url, Access::write, clock);
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

    /// Ends what the server's user has open in the database, as an administrator or a crash would.
    void cut_all_links() {
        database.run("BEGIN NOT ATOMIC " + each_link("KILL p.id") +
                     "WHILE EXISTS (SELECT 1 FROM information_schema.processlist WHERE db = '" +
                     database.name() +
                     "' AND user = 'passbook_server') DO DO SLEEP(0.01); "
                     "END WHILE; END");
    }
    /// Waits until a session of the server's user waits for a row, then does `then` with it, `p`.
    /// What InnoDB tells of its transactions stays as it is while it is asked within 0.1 s.
    void when_one_waits(const std::string& then) {
        database.run(
            "BEGIN NOT ATOMIC DECLARE tries, waiting INT DEFAULT 0; REPEAT DO SLEEP(0.15); "
            "SET tries = tries + 1, waiting = 0; " +
            each_link("SET waiting = 1; " + then,
                      " AND p.id IN (SELECT trx_mysql_thread_id FROM "
                      "information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT')") +
            "UNTIL waiting OR tries > 60 END REPEAT; IF NOT waiting THEN "
            "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'nobody waits'; END IF; END");
    }
    [[nodiscard]] std::string each_link(const std::string& then, const std::string& where = "") {
        return "FOR p IN (SELECT id FROM information_schema.processlist p WHERE db = '" +
               database.name() + "' AND user = 'passbook_server'" + where + ") DO " + then +
               "; END FOR; ";
    }

    SystemClock clock;
    MariadbDatabase database;
    std::unique_ptr<store::Store> store = open(database.url());
    std::unique_ptr<store::Writer> writer = store->writer();
};

TEST_F(MariadbOwn, WhatWasCommittedWhileALockWasWaitedForIsSeen) {
    run(*writer, Grant{alice, 100, {}}, "g");
    const Changes first = decided(*writer, Spend{alice, 60, {}}, "s");
    auto second = std::async(std::launch::async, [&] {
        const auto other = store->writer();
        auto state =
            other->begin({Need{.subject = alice, .key = Key::trusted("s"), .accounts = {alice}}});
        other->rollback();
        return std::pair(state, other->lock_wait());
    });
    when_one_waits("DO 0");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    writer->commit(first);
    const auto [state, lock_wait] = second.get();
    EXPECT_EQ(state.accounts.at(alice).balance, 40);
    EXPECT_EQ(state.accounts.at(alice).seq, 2);
    EXPECT_TRUE(state.outcomes.contains({alice, Key::trusted("s")}));
    EXPECT_GE(lock_wait, std::chrono::milliseconds(50));
    EXPECT_LT(lock_wait, std::chrono::seconds(10));
}

/// Statistics are samples, and can say of any index that it is the shortest way.
TEST_F(MariadbOwn, AnAccountIsReadWithoutItsEarlierEntriesWhateverTheStatisticsSay) {
    for (int i = 0; i < 200; ++i) {
        run(*writer, Grant{alice, 1, {}}, "g" + std::to_string(i));
    }
    database.run("ANALYZE TABLE entries PERSISTENT FOR ALL");
    database.run(
        "UPDATE mysql.index_stats SET avg_frequency = IF(index_name = 'entries_before', 1, 200) "
        "WHERE prefix_arity = 2 AND table_name = 'entries' AND db_name = DATABASE()");
    database.run("FLUSH TABLES entries");
    database.run("SET GLOBAL userstat = 1");
    database.run("FLUSH TABLE_STATISTICS");

    (void)decided(*writer, Spend{alice, 1, {}}, "s");
    writer->rollback();
    EXPECT_EQ(balance(), 200);
    const auto reader = store->reader();
    EXPECT_EQ(reader->balance_at(alice, clock.now()).value().balance, 200);
    EXPECT_EQ(reader->entries(alice, 190, 5).size(), 5U);

    database.run(
        "BEGIN NOT ATOMIC DECLARE seen BIGINT DEFAULT (SELECT max(rows_read) FROM "
        "information_schema.table_statistics WHERE table_name = 'entries' AND table_schema = "
        "DATABASE()); IF seen IS NULL OR seen > 60 THEN SIGNAL SQLSTATE '45000' SET "
        "MESSAGE_TEXT = 'too many rows were read, or none counted'; END IF; END");
}

TEST_F(MariadbOwn, BeginReadsTheTime) {
    const auto before = clock.now();
    const auto state = writer->begin({});
    writer->rollback();
    EXPECT_GE(state.now, before);
    EXPECT_LE(state.now, clock.now());
    EXPECT_TRUE(store->shared());
}

TEST_F(MariadbOwn, TwoThatOpenAnAccountAtOnceGoOneAfterTheOther) {
    run(*writer, Grant{bob, 5, {}}, "k");  // the asset is in use: its row is no longer locked
    const auto other = store->writer();
    const Changes changes = decided(*other, Grant{alice, 5, {}}, "k1");
    run(*writer, Grant{alice, 5, {}}, "k2");
    const Thrown thrown = thrown_by([&] { other->commit(changes); });
    EXPECT_TRUE(thrown.is_conflict) << thrown.text;
    EXPECT_EQ(thrown.native, "1062");
    run(*other, Grant{alice, 5, {}}, "k1");
    EXPECT_EQ(balance(), 10);
}

TEST_F(MariadbOwn, AnAccountThatIsOpenedWhileOthersAreBeingLockedIsNotDecidedOn) {
    AccountId early = alice;  // comes before alice, where all are locked in order of their shards
    for (int n = 0; shard_of(early.text()) >= shard_of(alice.text()); ++n) {
        early = AccountId::trusted("early-" + std::to_string(n));
    }
    run(*writer, Grant{alice, 5, {}}, "k1");
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    auto late = std::async(std::launch::async, [&] {
        const auto other = store->writer();
        return thrown_by([&] { (void)other->begin({Need{.accounts = {early, alice}}}); });
    });
    when_one_waits("DO 0");
    run(*store->writer(), Grant{early, 1, {}}, "k3");
    writer->commit(changes);
    const Thrown thrown = late.get();
    EXPECT_TRUE(thrown.is_conflict) << thrown.text;
    EXPECT_EQ(thrown.native, "opened");
}

TEST_F(MariadbOwn, TwoThatPutAnAssetAtOnceGoOneAfterTheOther) {
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
    when_one_waits("DO 0");
    writer->commit(first);
    second.get();
    EXPECT_EQ(store->reader()->asset(point)->ceiling, 50);
    EXPECT_EQ(store->reader()->asset(point)->floor, -7);
}

TEST_F(MariadbOwn, ALockThatDoesNotComeAsksForTheWholeTransactionAgain) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const auto impatient = open(database.url() + "?lock_timeout=1")->writer();
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    const Thrown thrown = thrown_by([&] { (void)impatient->begin({Need{.accounts = {alice}}}); });
    EXPECT_TRUE(thrown.is_conflict) << thrown.text;
    EXPECT_EQ(thrown.kind, FailureKind::busy);
    EXPECT_EQ(thrown.native, "1205");
    writer->commit(changes);
    run(*impatient, Grant{alice, 5, {}}, "k3");
    EXPECT_EQ(balance(), 15);
}

TEST_F(MariadbOwn, ALinkThatBrokeWhileIdleIsReplacedUnseen) {
    const auto reader = store->reader();
    run(*writer, Grant{alice, 5, {}}, "k1");
    EXPECT_EQ(reader->account(alice)->account.balance, 5);
    cut_all_links();
    run(*writer, Grant{alice, 5, {}}, "k2");
    EXPECT_EQ(reader->account(alice)->account.balance, 10);
}

TEST_F(MariadbOwn, ALinkThatBreaksInATransactionIsNeverAnsweredAsDone) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    cut_all_links();
    EXPECT_EQ(thrown_by([&] { writer->commit(changes); }).kind, FailureKind::unavailable);
    // The key tells, on a new link.
    const auto state = writer->begin({Need{.subject = alice, .key = Key::trusted("k2")}});
    writer->rollback();
    EXPECT_TRUE(state.outcomes.empty());
    EXPECT_NO_THROW(writer->confirm());
    run(*writer, Grant{alice, 5, {}}, "k2");
    EXPECT_EQ(balance(), 10);
}

TEST_F(MariadbOwn, AWaitForALockThatIsCutIsUnavailableAndPasses) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    auto waiting = std::async(std::launch::async, [&] {
        const auto other = store->writer();
        const Thrown thrown = thrown_by([&] { (void)other->begin({Need{.accounts = {alice}}}); });
        run(*other, Grant{bob, 5, {}}, "k3");
        return thrown;
    });
    when_one_waits("KILL p.id");
    const Thrown thrown = waiting.get();
    EXPECT_EQ(thrown.kind, FailureKind::unavailable) << thrown.text;
    writer->commit(changes);
    EXPECT_EQ(balance(), 10);
    EXPECT_EQ(balance(bob), 5);
}

TEST_F(MariadbOwn, WhatWasReadOnALinkThatIsGoneIsNotConfirmed) {
    (void)writer->begin({});
    writer->rollback();
    EXPECT_NO_THROW(writer->confirm());
    cut_all_links();
    EXPECT_EQ(thrown_by([&] { writer->confirm(); }).kind, FailureKind::unavailable);
    EXPECT_EQ(thrown_by([&] { writer->confirm(); }).kind, FailureKind::unavailable);
    run(*writer, Grant{alice, 5, {}}, "k");
    EXPECT_NO_THROW(writer->confirm());
}

TEST_F(MariadbOwn, AGuardThatFiresLeavesTheLinkAsItWas) {
    Changes changes = decided(*writer, Grant{alice, 5, {}}, "k");
    changes.entries.at(0).balance_after = 6;
    EXPECT_THROW(writer->commit(changes), GuardFired);
    run(*writer, Grant{alice, 5, {}}, "k");
    EXPECT_EQ(balance(), 5);
}

TEST_F(MariadbOwn, ATextThatTheDatabaseCannotHoldIsRefusedLikeABadRow) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    changes.entries.at(0).reason = "\xff";
    EXPECT_THROW(writer->commit(changes), GuardFired);
    EXPECT_EQ(balance(), 5);
}

TEST_F(MariadbOwn, EntriesOfAccountsThatNoNeedNamedAreTaken) {
    run(*writer, Grant{alice, 5, {}}, "k1");
    const Changes changes = decided(*writer, Grant{alice, 5, {}}, "k2");
    writer->rollback();
    (void)writer->begin({});
    writer->commit(changes);
    EXPECT_EQ(balance(), 10);
}

TEST_F(MariadbOwn, ASnapshotIsWalkedPageByPage) {
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

TEST_F(MariadbOwn, ASnapshotWhoseLinkBrokeIsNeverGoneOnWithAnother) {
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

TEST_F(MariadbOwn, FailpointsFailAsTheDatabaseWould) {
    for (const std::string point :
         {"mariadb_after_begin", "mariadb_mid_write", "mariadb_before_commit"}) {
        ASSERT_TRUE(arm_failpoints(point + "=fail@1"));
        EXPECT_EQ(thrown_by([&] { run(*writer, Grant{alice, 5, {}}, "k"); }).kind,
                  FailureKind::unavailable)
            << point;
        EXPECT_EQ(balance(), 0) << point;
    }
    ASSERT_TRUE(arm_failpoints("mariadb_after_commit=fail@1"));
    EXPECT_EQ(thrown_by([&] { run(*writer, Grant{alice, 5, {}}, "k"); }).kind,
              FailureKind::in_doubt);
    EXPECT_EQ(balance(), 5);
    ASSERT_TRUE(arm_failpoints(""));
}

TEST_F(MariadbOwn, NobodyThereIsUnavailable) {
    const Thrown thrown = thrown_by([&] { (void)open("mysql://me:secret@127.0.0.1:1/none"); });
    EXPECT_EQ(thrown.kind, FailureKind::unavailable);
    EXPECT_EQ(thrown.text.find("secret"), std::string::npos) << thrown.text;
    EXPECT_EQ(store->describe().find("mysql://passbook_server@127.0.0.1:"), 0U);
}

TEST_F(MariadbOwn, OnlyMigrateMakesAStoreAndManyMayAtOnce) {
    const MariadbDatabase empty(MariadbDatabase::With::nothing);
    const std::string url = empty.url("root");
    const Thrown thrown = thrown_by([&] { (void)open(url); });
    EXPECT_EQ(thrown.kind, FailureKind::broken);
    EXPECT_NE(thrown.text.find("run `passbook migrate --store mysql://root@"), std::string::npos)
        << thrown.text;
    std::vector<std::future<void>> all;
    for (int i = 0; i < 4; ++i) {
        all.push_back(std::async(std::launch::async, [&] { store::mariadb::migrate(url); }));
    }
    for (auto& each : all) {
        EXPECT_NO_THROW(each.get());
    }
    EXPECT_EQ(open(url)->reader()->assets(), std::vector{ledger::default_asset()});
}

TEST_F(MariadbOwn, AMigrationThatWasCutOffIsGoneOnWith) {
    const MariadbDatabase cut;
    for (const char* lost : {"TRUNCATE format", "TRUNCATE assets", "DROP TRIGGER entries_stay",
                             "DROP VIEW balances", "DROP TABLE refusals"}) {
        cut.run(lost);
    }
    EXPECT_EQ(thrown_by([&] { (void)open(cut.url()); }).kind, FailureKind::broken);
    store::mariadb::migrate(cut.url("passbook_owner"));
    const auto mended = open(cut.url());
    run(*mended->writer(), Grant{alice, 5, {}}, "k");
    EXPECT_EQ(mended->reader()->account(alice)->account.balance, 5);
    for (const char* lost : {"SELECT 1 FROM balances", "SELECT 1 FROM refusals"}) {
        EXPECT_NO_THROW(cut.run(lost)) << lost;
    }
    EXPECT_ANY_THROW(cut.run("UPDATE entries SET amount = 6"));
}

TEST_F(MariadbOwn, AnothersTablesAndAUserWithoutRightsAreNamed) {
    const MariadbDatabase other(MariadbDatabase::With::nothing);
    other.run("CREATE TABLE theirs (a int)");
    const Thrown taken = thrown_by([&] { store::mariadb::migrate(other.url("root")); });
    EXPECT_EQ(taken.kind, FailureKind::broken);
    EXPECT_NE(taken.text.find("not a Passbook store"), std::string::npos) << taken.text;
    const auto reader_role = open(database.url("passbook_reader"))->writer();
    const Thrown thrown = thrown_by([&] { run(*reader_role, Grant{alice, 5, {}}, "k"); });
    EXPECT_EQ(thrown.kind, FailureKind::broken);
    EXPECT_EQ(thrown.native, "1142");
    EXPECT_NE(thrown.text.find("the user lacks a privilege"), std::string::npos) << thrown.text;
}

TEST_F(MariadbOwn, AStoreOfANewerReleaseIsRefusedOnlyIfItSaysSo) {
    database.run("UPDATE format SET version = 99");
    EXPECT_NO_THROW((void)open(database.url()));
    EXPECT_NO_THROW(store::mariadb::migrate(database.url("passbook_owner")));
    database.run("UPDATE format SET min_version = 99");
    EXPECT_EQ(thrown_by([&] { (void)open(database.url()); }).kind, FailureKind::broken);
    EXPECT_EQ(thrown_by([&] { store::mariadb::migrate(database.url("passbook_owner")); }).kind,
              FailureKind::broken);
    // Each new link looks: a server that was there before the upgrade ends as well.
    cut_all_links();
    EXPECT_EQ(thrown_by([&] { (void)writer->begin({}); }).kind, FailureKind::broken);
}

TEST_F(MariadbOwn, AnybodysTablesAreReadRowByRow) {
    database.run("CREATE TABLE t (id TEXT, n BIGINT, x DECIMAL(9, 1))");
    database.run("INSERT INTO t VALUES ('a', 1, 1), ('b', -2, 2), ('c', 3, 1.5)");
    const auto tables = store::mariadb::open_tables(database.url("root"));
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
              "row 1 is not (id, integer): SELECT id, x FROM t ORDER BY id");
    for (const char* wrong : {"SELECT id FROM t", "SELECT nothing FROM t", "SELECT id, id FROM t",
                              "SELECT id, CAST(NULL AS INT) FROM t", "SELECT n, id FROM t",
                              "SELECT 1, 2; SELECT 3, 4", ""}) {
        EXPECT_EQ(thrown_by([&] { tables->query(wrong, add); }).kind, FailureKind::broken) << wrong;
    }
    EXPECT_EQ(thrown_by([&] { tables->query("DELETE FROM t RETURNING id, n", add); }).kind,
              FailureKind::unavailable);
    EXPECT_EQ(thrown_by([&] { tables->query("CREATE TABLE u (a INT)", add); }).kind,
              FailureKind::unavailable);
}

}  // namespace
}  // namespace passbook::contract
