// SPDX-License-Identifier: Apache-2.0
// The ways themselves. Each is as short as it is in the programs where it is found; what is not
// done here is what makes the difference.
#include <fmt/format.h>
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
    actor.note(Moment::read, fmt::format("reads balance {}", balance));
    return balance;
}

void set_balance(Actor& actor, std::int64_t balance) {
    actor.sql().change(write_balance, {balance});
    actor.note(Moment::moved, fmt::format("balance = {}", balance));
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
    actor.note(Moment::read, fmt::format("sums entries: {}", sum));
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
    actor.note(Moment::moved, fmt::format("balance {:+}: {} row", ask.amount, moved));
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
    actor.note(Moment::read, fmt::format("locks balance {}", balance));
    return decide(actor, ask, balance);
}

/// A little longer each time, and not as long as another who was asked again at the same moment.
void pause(int attempt) {
    thread_local std::minstd_rand random{std::random_device{}()};
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % (1'000U << std::min(attempt, 6))));
}

Answer by_serializable(Actor& actor, const Ask& ask) {
    for (int attempt = 0;; ++attempt) {
        try {
            actor.begin(Level::serializable);
            const std::int64_t balance = balance_read(actor);
            actor.has_read();
            return decide(actor, ask, balance);
        } catch (const AskedAgain&) {
            actor.note(Moment::noted, "is asked again");
            actor.roll_back();
            pause(attempt);
        }
    }
}

/// PostgreSQL's lock ends with the transaction: nobody can release it too early.
Answer by_transaction_lock(Actor& actor, const Ask& ask) {
    actor.begin();
    actor.sql().change("SELECT pg_advisory_xact_lock(hashtext('wallet'))");
    actor.note(Moment::noted, "lock acquired");
    return decide(actor, ask, balance_read(actor));
}

/// MariaDB's is a session's, and its names are the whole server's. Taken before BEGIN: what a
/// transaction reads at REPEATABLE READ is as old as its first look.
Answer by_session_lock(Actor& actor, const Ask& ask) {
    if (actor.sql().row("SELECT GET_LOCK(concat(database(), '.wallet'), 60)").at(0) != 1) {
        throw AskedAgain("the lock did not come");
    }
    actor.note(Moment::noted, "lock acquired");
    actor.begin();
    const Answer answer = decide(actor, ask, balance_read(actor));
    (void)actor.sql().row("SELECT RELEASE_LOCK(concat(database(), '.wallet'))");
    actor.note(Moment::noted, "lock released");
    return answer;
}

Answer by_version(Actor& actor, const Ask& ask) {
    for (;;) {
        const auto row =
            actor.sql().row("SELECT balance, version FROM account WHERE id = 'wallet'");
        const std::int64_t balance = row.at(0);
        const std::int64_t version = row.at(1);
        actor.note(Moment::read, fmt::format("reads {}, version {}", balance, version));
        actor.has_read();
        if (balance + ask.amount < 0) {
            return Answer::refused;
        }
        actor.begin();
        const std::int64_t moved = actor.sql().change(
            "UPDATE account SET balance = ?1, version = version + 1 "
            "WHERE id = 'wallet' AND version = ?2",
            {balance + ask.amount, version});
        actor.note(Moment::moved, fmt::format("if version {}: {} row", version, moved));
        if (moved == 1) {
            actor.enter(ask);
            actor.commit();
            return Answer::accepted;
        }
        actor.roll_back();
    }
}

Protection plain(std::string name, Promise promise, std::string how, Move move,
                 bool keeps_balance = true) {
    return {.name = std::move(name),
            .promise = promise,
            .how = std::move(how),
            .open = [move = std::move(move), keeps_balance](Stage& stage, std::int64_t opening) {
                return plain_wallet(stage, opening, move, keeps_balance);
            }};
}

Protection only_on_servers(Protection protection, std::string why) {
    protection.absences = {{Kind::sqlite, std::move(why)}};
    return protection;
}

}  // namespace

Protection overwrite() {
    return plain("overwrite", Promise::unsafe, "read, add in memory, write back", by_overwrite);
}

Protection in_transaction() {
    return only_on_servers(plain("in_transaction", Promise::unsafe,
                                 "BEGIN, read, write, COMMIT, at the usual level", by_transaction),
                           "it would ask for such a transaction again; see S14");
}

Protection check_then_insert() {
    return plain("check_then_insert", Promise::unsafe, "sum the entries, check, insert",
                 by_check_then_insert, false);
}

Protection conditional_update() {
    return plain("conditional_update", Promise::guarded,
                 "UPDATE … WHERE balance is enough; check the row count", by_conditional_update);
}

Protection immediate() {
    Protection made = plain("immediate", Promise::guarded,
                            "BEGIN IMMEDIATE, read, write: all others wait", by_immediate);
    const char* why = "`for_update` locks the row alone";
    made.absences = {{Kind::postgres, why}, {Kind::mariadb, why}};
    return made;
}

Protection optimistic() {
    return plain("optimistic", Promise::guarded,
                 "UPDATE … WHERE version is as read, else all again", by_version);
}

Protection for_update() {
    return only_on_servers(
        plain("for_update", Promise::guarded, "SELECT … FOR UPDATE, then write", by_row_lock),
        "it locks no rows; `immediate` locks the whole database");
}

Protection serializable() {
    return only_on_servers(
        plain("serializable", Promise::guarded,
              "SERIALIZABLE; the whole transaction again when asked", by_serializable),
        "it has no such level; S14 shows what comes nearest");
}

Protection advisory() {
    return only_on_servers({.name = "advisory",
                            .promise = Promise::guarded,
                            .how = "a lock that the database keeps by name",
                            .open =
                                [](Stage& stage, std::int64_t opening) {
                                    return plain_wallet(stage, opening,
                                                        stage.kind() == Kind::postgres
                                                            ? by_transaction_lock
                                                            : by_session_lock);
                                }},
                           "it has no such locks");
}

std::vector<Protection> guarded_protections() {
    return {conditional_update(), immediate(),  for_update(), serializable(),
            advisory(),           optimistic(), queue()};
}

}  // namespace passbook::lab
