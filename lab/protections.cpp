// SPDX-License-Identifier: Apache-2.0
// The ways themselves. Each is as short as it is in the programs where it is found; what is not
// done here is what makes the difference.
#include <fmt/format.h>

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

/// As FOR UPDATE does it elsewhere, with the whole database in the place of the row.
Answer by_immediate(Actor& actor, const Ask& ask) {
    actor.begin();
    const std::int64_t balance = balance_read(actor);
    if (balance + ask.amount < 0) {
        actor.roll_back();
        return Answer::refused;
    }
    set_balance(actor, balance + ask.amount);
    actor.enter(ask);
    actor.commit();
    return Answer::accepted;
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

}  // namespace

Protection overwrite() {
    return plain("overwrite", Promise::unsafe, "read, add in memory, write back", by_overwrite);
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
    return plain("immediate", Promise::guarded, "BEGIN IMMEDIATE, read, write: all others wait",
                 by_immediate);
}

Protection optimistic() {
    return plain("optimistic", Promise::guarded,
                 "UPDATE … WHERE version is as read, else all again", by_version);
}

std::vector<Protection> server_protections() {
    const auto absent = [](std::string name, std::string how, std::string why) {
        return Protection{.name = std::move(name),
                          .promise = Promise::guarded,
                          .how = std::move(how),
                          .open = nullptr,
                          .absences = {{Kind::sqlite, std::move(why)}}};
    };
    return {absent("for_update", "SELECT … FOR UPDATE, then write",
                   "it locks no rows; `immediate` locks the whole database"),
            absent("serializable", "the whole transaction again on 40001",
                   "it has no such level; S14 shows what comes nearest"),
            absent("advisory", "a lock that the database keeps by name", "it has no such locks")};
}

std::vector<Protection> guarded_protections() {
    std::vector<Protection> all{conditional_update(), immediate(), optimistic(), queue()};
    for (Protection& other : server_protections()) {
        all.push_back(std::move(other));
    }
    return all;
}

}  // namespace passbook::lab
