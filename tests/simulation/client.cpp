// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/client.h"

#include <fmt/format.h>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "base/assert.h"

namespace passbook::simulation {

using lab::checker::Op;
using ledger::Posting;

namespace {

constexpr Amount beyond_32_bits = (Amount{1} << 32) + 7;
constexpr Nanos settling_max = 60 * seconds;
constexpr Nanos told_within = 10 * seconds;

/// What a caller and a lane share.
struct Answering {
    std::mutex mutex;
    std::condition_variable came;
    std::optional<writer::Reply> reply;
};

}  // namespace

AccountId account_id(int number) {
    return AccountId::trusted("account-" + std::to_string(number));
}

void Client::play(int actions) {
    for (int i = 0; i < actions; ++i) {
        world_.run().sleep(chance().below(300 * millis));
        act();
    }
}

void Client::settle() {
    const Nanos began = world_.run().now();
    while (!open_.empty()) {
        std::vector<Wish> again = std::exchange(open_, {});
        for (const Wish& wish : again) {
            write(wish);
        }
        world_.run().sleep(100 * millis);
        if (world_.run().now() - began > settling_max) {
            return world_.wrong(fmt::format("client {} cannot settle its requests", number_));
        }
    }
}

void Client::act() {
    const std::uint64_t kind = chance().below(100);
    if (kind < 15) {
        hold_a_lock();
    } else if (kind < 22) {
        world_.read(account_id(static_cast<int>(chance().below(accounts))));
    } else if (kind < 32 && !open_.empty()) {
        const Wish wish = std::move(open_.back());
        open_.pop_back();
        write(wish);
    } else if (kind < 45 && !settled_.empty()) {
        write(settled_[chance().below(settled_.size())]);
    } else {
        write(draw());
    }
}

// Locks -------------------------------------------------------------------------------------------

void Client::hold_a_lock() {
    const std::string key = "key-" + std::to_string(chance().below(2));
    const int forgot = world_.keys().forgot();
    const bool waits = chance().of_thousand(700);
    auto answer = site_.locks.acquire(
        {.keys = {key}, .wait = lock::Millis(waits ? chance().between(1, 2'500) : 0)});
    world_.weather().count(fmt::format("lock: {}", name_of(answer.result)));
    if (!answer.what) {
        return;
    }
    lock::Guard guard = std::move(*answer.what);
    world_.holds(guard, forgot);
    const std::int64_t writes = chance().between(0, 4);
    for (std::int64_t i = 0; i < writes; ++i) {
        world_.run().sleep(chance().below(800 * millis));
        world_.acts(guard);
    }
    if (!guard.valid()) {
        await_loss(guard);
    }
    world_.lets_go(guard);
    (void)guard.release();
}

/// A holder is told, soon after its time is over.
void Client::await_loss(const lock::Guard& guard) {
    const Nanos began = world_.run().now();
    while (!guard.stop_token().stop_requested()) {
        if (world_.run().now() - began > told_within) {
            return world_.wrong("a holder was not told of its loss");
        }
        world_.run().sleep(10 * millis);
    }
    world_.weather().count(fmt::format("lock lost: {}", name_of(*guard.lost())));
}

// Commands ----------------------------------------------------------------------------------------

void Client::write(const Wish& wish) {
    const bool patient = world_.weather().healed() || !chance().of_thousand(50);
    for (int tries = 0; tries < 3; ++tries) {
        if (send(wish, patient ? std::nullopt : std::optional<Nanos>(30 * millis))) {
            return;
        }
        if (chance().of_thousand(300)) {
            break;
        }
        world_.run().sleep(chance().below(50 * millis));
    }
    open_.push_back(wish);
}

/// Whether the outcome is known now.
bool Client::send(const Wish& wish, std::optional<Nanos> patience) {
    const auto answering = std::make_shared<Answering>();
    const std::uint32_t call = world_.sent(wish);
    std::vector<writer::Job> jobs;
    jobs.push_back({wish.request, [&world = world_, call, answering](writer::Reply reply) {
                        world.replied(call);
                        const std::lock_guard lock(answering->mutex);
                        answering->reply = std::move(reply);
                        answering->came.notify_one();
                    }});
    site_.lanes.submit(std::move(jobs));
    std::unique_lock lock(answering->mutex);
    const auto is_there = [&] {
        return answering->reply.has_value();
    };
    if (!patience) {
        answering->came.wait(lock, is_there);
    } else if (!answering->came.wait_for(lock, std::chrono::nanoseconds(*patience), is_there)) {
        world_.gave_up(call);
        return false;
    }
    world_.answered(call, *answering->reply);
    const auto* answer = std::get_if<ledger::Answer>(&*answering->reply);
    if (answer == nullptr) {
        return false;
    }
    settled_.push_back(wish);
    if (const auto* record = std::get_if<ledger::Record>(&answer->body)) {
        remember(wish, *record);
    }
    return true;
}

void Client::remember(const Wish& wish, const ledger::Record& record) {
    if (wish.op == Op::hold) {
        holds_.push_back(record.subject().id());
    } else if (wish.op == Op::grant || wish.op == Op::spend || wish.op == Op::transfer) {
        moved_.push_back(record);
    }
}

Wish Client::wish_of(ledger::Action action, Op op, AccountId subject, std::vector<Posting> legs,
                     std::string target) {
    // Now and then a key that stands for another command already.
    const bool reuses = !settled_.empty() && chance().of_thousand(30);
    const int key = reuses ? static_cast<int>(chance().between(1, keys_)) : ++keys_;
    auto request = ledger::prepare(
        {.action = std::move(action), .key = Key::trusted(fmt::format("c{}-{}", number_, key))});
    PASSBOOK_ASSERT(request.has_value());
    return {std::move(*request), op, std::move(subject), std::move(legs), std::move(target)};
}

Wish Client::draw() {
    const int from = static_cast<int>(chance().below(accounts));
    const AccountId first = account_id(from);
    const AccountId second = account_id((from + 1) % accounts);
    const Amount amount = chance().between(1, 40);
    const std::uint64_t kind = chance().below(100);
    if (kind < 12 && !holds_.empty()) {
        const EntryId hold = holds_[chance().below(holds_.size())];
        if (kind < 4) {
            return wish_of(ledger::VoidHold{hold}, Op::void_hold, hold.account,
                           {{hold.account, 0, {}}}, to_text(hold));
        }
        return wish_of(ledger::CommitHold{hold, {}, {}}, Op::commit, hold.account,
                       {{hold.account, 0, {}}}, to_text(hold));
    }
    if (kind < 20 && !moved_.empty()) {
        const ledger::Entry& moved = moved_[chance().below(moved_.size())].subject();
        const bool in_part = chance().of_thousand(500);
        return wish_of(
            ledger::Reverse{moved.id(), in_part ? std::optional(amount) : std::nullopt, {}},
            Op::reverse, moved.account, {{moved.account, in_part ? amount : 0, {}}},
            to_text(moved.id()));
    }
    if (kind < 22) {
        const AccountId vault = AccountId::trusted("vault");
        return wish_of(ledger::Grant{vault, beyond_32_bits, {}}, Op::grant, vault,
                       {{vault, beyond_32_bits, {}}});
    }
    if (kind < 40) {
        return wish_of(ledger::Grant{first, amount, {}}, Op::grant, first, {{first, amount, {}}});
    }
    if (kind < 66) {
        return wish_of(ledger::Spend{first, amount, {}}, Op::spend, first, {{first, -amount, {}}});
    }
    if (kind < 80) {
        return wish_of(ledger::Transfer{first, second, amount}, Op::transfer, first,
                       {{first, -amount, {}}, {second, amount, {}}});
    }
    return wish_of(ledger::PlaceHold{first, amount, chance().between(1, 10)}, Op::hold, first,
                   {{first, amount, {}}});
}

}  // namespace passbook::simulation
