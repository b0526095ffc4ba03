// SPDX-License-Identifier: Apache-2.0
// The ways themselves. Each is as short as it is in the programs where it is found; what is not
// done here is what makes the difference.
#include <algorithm>
#include <random>
#include <thread>

#include "lab/wallet.h"

namespace passbook::lab {
namespace {

constexpr const char* read_balance = "SELECT balance FROM account WHERE id = 'wallet'";
constexpr const char* write_balance = "UPDATE account SET balance = ?1 WHERE id = 'wallet'";

std::int64_t balance_read(Actor& actor) {
    const std::int64_t balance = actor.sql().row(read_balance).at(0);
    actor.note(Moment::read, say("reads balance {}", "잔액 {} 읽음", balance));
    return balance;
}

void set_balance(Actor& actor, std::int64_t balance) {
    actor.sql().change(write_balance, {balance});
    actor.note(Moment::moved, say("balance = {}", "잔액 = {}", balance));
}

/// The read is one transaction, the write another, and the program in between decides on what may
/// no longer be true.
Answer by_overwrite(Actor& actor, const Ask& ask) {
    const std::int64_t balance = balance_read(actor);
    actor.has_read();
    if (balance + ask.amount < 0) {
        return Answer::refused;
    }
    actor.begin();
    set_balance(actor, balance + ask.amount);
    actor.enter(ask);
    actor.commit();
    return Answer::accepted;
}

Answer by_check_then_insert(Actor& actor, const Ask& ask) {
    const std::int64_t sum =
        actor.sql()
            .row("SELECT coalesce(sum(amount), 0) FROM entry WHERE account = 'wallet'")
            .at(0);
    actor.note(Moment::read, say("sums entries: {}", "항목 합계: {}", sum));
    actor.has_read();
    if (sum + ask.amount < 0) {
        return Answer::refused;
    }
    actor.enter(ask);
    return Answer::accepted;
}

Answer by_conditional_update(Actor& actor, const Ask& ask) {
    actor.begin();
    const std::int64_t moved = actor.sql().change(
        "UPDATE account SET balance = balance + ?1 WHERE id = 'wallet' AND balance + ?1 >= 0",
        {ask.amount});
    actor.note(Moment::moved, say("balance {:+}: {} row", "잔액 {:+}: {}행", ask.amount, moved));
    if (moved == 0) {
        actor.roll_back();
        return Answer::refused;
    }
    actor.enter(ask);
    actor.commit();
    return Answer::accepted;
}

/// Decides on the balance within the transaction that is open, and ends it.
Answer decide(Actor& actor, const Ask& ask, std::int64_t balance) {
    if (balance + ask.amount < 0) {
        actor.roll_back();
        return Answer::refused;
    }
    set_balance(actor, balance + ask.amount);
    actor.enter(ask);
    actor.commit();
    return Answer::accepted;
}

/// As FOR UPDATE does it elsewhere, with the whole database in the place of the row.
Answer by_immediate(Actor& actor, const Ask& ask) {
    actor.begin();
    return decide(actor, ask, balance_read(actor));
}

/// A transaction keeps what it writes together; that nobody else writes in between, it promises on
/// neither server.
Answer by_transaction(Actor& actor, const Ask& ask) {
    actor.begin();
    const std::int64_t balance = balance_read(actor);
    actor.has_read();
    return decide(actor, ask, balance);
}

Answer by_row_lock(Actor& actor, const Ask& ask) {
    actor.begin();
    const std::int64_t balance =
        actor.sql().row("SELECT balance FROM account WHERE id = 'wallet' FOR UPDATE").at(0);
    actor.note(Moment::read, say("locks balance {}", "잔액 {} 잠금", balance));
    return decide(actor, ask, balance);
}

/// A little longer each time, and not as long as another who was asked again at the same moment.
void pause(int attempt) {
    thread_local std::minstd_rand random{std::random_device{}()};
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % (1'000U << std::min(attempt, 9))));
}

Answer by_serializable(Actor& actor, const Ask& ask) {
    for (int attempt = 0;; ++attempt) {
        try {
            actor.begin(Level::serializable);
            const std::int64_t balance = balance_read(actor);
            actor.has_read();
            return decide(actor, ask, balance);
        } catch (const AskedAgain&) {
            actor.note(Moment::noted, {"is asked again", "다시 하라는 요구를 받음"});
            actor.roll_back();
            pause(attempt);
        }
    }
}

/// PostgreSQL's lock ends with the transaction: nobody can release it too early.
Answer by_transaction_lock(Actor& actor, const Ask& ask) {
    actor.begin();
    actor.sql().change("SELECT pg_advisory_xact_lock(hashtext('wallet'))");
    actor.note(Moment::noted, {"lock acquired", "락 얻음"});
    return decide(actor, ask, balance_read(actor));
}

/// MariaDB's is a session's, and its names are the whole server's. Taken before BEGIN: what a
/// transaction reads at REPEATABLE READ is as old as its first look.
Answer by_session_lock(Actor& actor, const Ask& ask) {
    if (actor.sql().row("SELECT GET_LOCK(concat(database(), '.wallet'), 60)").at(0) != 1) {
        throw AskedAgain("the lock did not come");
    }
    actor.note(Moment::noted, {"lock acquired", "락 얻음"});
    actor.begin();
    const Answer answer = decide(actor, ask, balance_read(actor));
    (void)actor.sql().row("SELECT RELEASE_LOCK(concat(database(), '.wallet'))");
    actor.note(Moment::noted, {"lock released", "락 놓음"});
    return answer;
}

Answer by_version(Actor& actor, const Ask& ask) {
    for (;;) {
        const auto row =
            actor.sql().row("SELECT balance, version FROM account WHERE id = 'wallet'");
        const std::int64_t balance = row.at(0);
        const std::int64_t version = row.at(1);
        actor.note(Moment::read, say("reads {}, version {}", "{} 읽음, 버전 {}", balance, version));
        actor.has_read();
        if (balance + ask.amount < 0) {
            return Answer::refused;
        }
        actor.begin();
        const std::int64_t moved = actor.sql().change(
            "UPDATE account SET balance = ?1, version = version + 1 "
            "WHERE id = 'wallet' AND version = ?2",
            {balance + ask.amount, version});
        actor.note(Moment::moved,
                   say("if version {}: {} row", "버전 {}이면: {}행", version, moved));
        if (moved == 1) {
            actor.enter(ask);
            actor.commit();
            return Answer::accepted;
        }
        actor.roll_back();
    }
}

Protection plain(std::string name, Promise promise, Text how, Move move,
                 bool keeps_balance = true) {
    return {.name = std::move(name),
            .promise = promise,
            .how = std::move(how),
            .open = [move = std::move(move), keeps_balance](Stage& stage, std::int64_t opening) {
                return plain_wallet(stage, opening, move, keeps_balance);
            }};
}

Protection only_on_servers(Protection protection, Text why) {
    protection.absences = {{Kind::sqlite, std::move(why)}};
    return protection;
}

}  // namespace

Protection overwrite() {
    return plain("overwrite", Promise::unsafe,
                 {"read, add in memory, write back", "읽고, 메모리에서 더하고, 덮어쓴다"},
                 by_overwrite);
}

Protection in_transaction() {
    return only_on_servers(plain("in_transaction", Promise::unsafe,
                                 {"BEGIN, read, write, COMMIT, at the usual level",
                                  "BEGIN, 읽기, 쓰기, COMMIT, 평소 격리 수준으로"},
                                 by_transaction),
                           {"it would ask for such a transaction again; see S14",
                            "그런 트랜잭션은 다시 하라고 한다. S14 참고"});
}

Protection check_then_insert() {
    return plain("check_then_insert", Promise::unsafe,
                 {"sum the entries, check, insert", "항목을 더해 보고, 검사하고, 넣는다"},
                 by_check_then_insert, false);
}

Protection conditional_update() {
    return plain("conditional_update", Promise::guarded,
                 {"UPDATE … WHERE balance is enough; check the row count",
                  "UPDATE … WHERE 잔액 충분; 바뀐 행 수를 확인한다"},
                 by_conditional_update);
}

Protection immediate() {
    Protection made = plain("immediate", Promise::guarded,
                            {"BEGIN IMMEDIATE, read, write: all others wait",
                             "BEGIN IMMEDIATE, 읽고 쓴다: 나머지는 모두 기다린다"},
                            by_immediate);
    const Text why("`for_update` locks the row alone", "`for_update`가 그 행만 잠근다");
    made.absences = {{Kind::postgres, why}, {Kind::mariadb, why}};
    return made;
}

Protection optimistic() {
    return plain("optimistic", Promise::guarded,
                 {"UPDATE … WHERE version is as read, else all again",
                  "UPDATE … WHERE 버전이 읽은 그대로; 아니면 처음부터 다시"},
                 by_version);
}

Protection for_update() {
    return only_on_servers(
        plain("for_update", Promise::guarded,
              {"SELECT … FOR UPDATE, then write", "SELECT … FOR UPDATE 뒤에 쓴다"}, by_row_lock),
        {"it locks no rows; `immediate` locks the whole database",
         "행을 못 잠근다. `immediate`가 데이터베이스 전체를 잠근다"});
}

Protection serializable() {
    return only_on_servers(plain("serializable", Promise::guarded,
                                 {"SERIALIZABLE; the whole transaction again when asked",
                                  "SERIALIZABLE; 다시 하라면 트랜잭션 전체를 다시"},
                                 by_serializable),
                           {"it has no such level; S14 shows what comes nearest",
                            "그런 격리 수준이 없다. 가장 가까운 것은 S14가 보여 준다"});
}

Protection advisory() {
    return only_on_servers(
        {.name = "advisory",
         .promise = Promise::guarded,
         .how = {"a lock that the database keeps by name", "데이터베이스가 이름으로 지키는 락"},
         .open =
             [](Stage& stage, std::int64_t opening) {
                 return plain_wallet(
                     stage, opening,
                     stage.kind() == Kind::postgres ? by_transaction_lock : by_session_lock);
             }},
        {"it has no such locks", "그런 락이 없다"});
}

std::vector<Protection> guarded_protections() {
    return {conditional_update(), immediate(),  for_update(), serializable(),
            advisory(),           optimistic(), queue()};
}

}  // namespace passbook::lab
