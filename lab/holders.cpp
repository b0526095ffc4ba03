// SPDX-License-Identifier: Apache-2.0
#include "lab/holders.h"

#include <stdexcept>
#include <thread>

#include "engine/locks.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "lab/redis_link.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

/// What an amount comes to in the end: its entry, and COMMIT.
void enter_and_commit(Self& self) {
    const std::int64_t amount = self.number("amount");
    self.sql().change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', ?1, ?2)",
        {self.word("name"), amount});
    self.note(Moment::entered, say("entry {:+}", "항목 {:+}", amount));
    self.commit();
}

bool undone(Self& self) {
    self.note(Moment::moved, {"0 rows changed", "바뀐 행 0"});
    self.roll_back();
    return false;
}

}  // namespace

void create_held_wallet(Stage& stage, bool with_store) {
    const auto session = stage.database().connect();
    create_plain_tables(*session);
    create_trade_locks(*session);
    session->change("ALTER TABLE account ADD COLUMN fence BIGINT DEFAULT 0 NOT NULL");
    session->change("INSERT INTO account (id, balance, version) VALUES ('wallet', ?1, 1)",
                    {held_wallet_opening});
    session->change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', 'opening', ?1)",
        {held_wallet_opening});
    if (with_store) {
        (void)Ledger::open(stage.store_url());
    }
}

void read_held_wallet(Stage& stage, Round& round) {
    const auto session = stage.database().connect();
    round.balance = sum_of_balances(*session);
    round.entries_sum = sum_of_entries(*session);
}

std::int64_t read_balance(Self& self) {
    const std::int64_t balance =
        self.sql().row("SELECT balance FROM account WHERE id = 'wallet'").at(0);
    self.note(Moment::read, say("reads balance {}", "잔액 {} 읽음", balance));
    return balance;
}

bool write_over(Self& self, HeldLock&, std::int64_t read) {
    const std::int64_t balance = read + self.number("amount");
    self.begin();
    self.sql().change("UPDATE account SET balance = ?1 WHERE id = 'wallet'", {balance});
    self.note(Moment::moved, say("balance = {}", "잔액 = {}", balance));
    enter_and_commit(self);
    return true;
}

bool write_if_enough(Self& self, HeldLock&, std::int64_t) {
    const std::int64_t amount = self.number("amount");
    self.begin();
    if (self.sql().change("UPDATE account SET balance = balance + ?1 "
                          "WHERE id = 'wallet' AND balance + ?1 >= 0",
                          {amount}) == 0) {
        return undone(self);
    }
    self.note(Moment::moved, say("balance {:+}: 1 row", "잔액 {:+}: 1행", amount));
    enter_and_commit(self);
    return true;
}

bool write_with_fence(Self& self, HeldLock& lock, std::int64_t read) {
    const std::int64_t balance = read + self.number("amount");
    self.begin();
    if (self.sql().change("UPDATE account SET balance = ?1, fence = ?2 "
                          "WHERE id = 'wallet' AND fence <= ?2",
                          {balance, lock.fence()}) == 0) {
        self.report("late", 1);
        return undone(self);
    }
    self.note(Moment::moved,
              say("balance = {}, fence {}", "잔액 = {}, 펜스 {}", balance, lock.fence()));
    enter_and_commit(self);
    return true;
}

void work_under(Self& self, HeldLock& lock, const Write& write) {
    const std::int64_t amount = self.number("amount");
    self.note(Moment::asked,
              say("asks {:+} (key {})", "{:+} 요청 (키 {})", amount, self.word("name")));
    bool is_accepted = false;
    if (lock.acquire(wallet_key, std::chrono::seconds(30))) {
        const std::int64_t balance = read_balance(self);
        self.here("decided");
        is_accepted = balance + amount >= 0 && write(self, lock, balance);
        self.note(is_accepted ? Moment::accepted : Moment::refused,
                  is_accepted ? labels::accepted : labels::refused);
        self.here("written");
        self.report("release", lock.release());
    }
    self.report("accepted", is_accepted ? 1 : 0);
}

Watch::Watch(Stage& stage, Of of) {
    // On Redis the keys of both kinds are found by the same look.
    if (of == Of::trade_lock || !stage.redis().empty()) {
        trade_ = trade_lock(stage.redis(), stage.database().url());
    } else {
        ours_ = engine::open_locks(stage.lock_service(), stage.store_url());
    }
}

void Watch::await_expiry(Timeline::Lane& lane) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    const auto is_held = [&] {
        if (trade_) {
            return trade_->is_held(wallet_key);
        }
        const auto look = ours_->look(wallet_key);
        return !look || look->held;
    };
    while (is_held()) {
        if (std::chrono::steady_clock::now() > until) {
            throw std::runtime_error("a lock that was to expire did not");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    lane.note(Moment::noted, {"the lock has expired", "락이 만료됨"});
}

Round tell(Stage& stage, const Story& story, Words* report_of_a) {
    Watch watch(stage, story.lock);
    Words words_of_a = story.of_a;
    words_of_a.insert(story.words.begin(), story.words.end());
    const auto begun = stage.timeline().elapsed();
    Process a(stage, story.experiment, story.role, verbatim("A"), words_of_a);
    a.await("decided");
    if (story.then) {
        story.then();
    }
    if (story.fate == Fate::wiped) {
        RedisLink(stage.redis()).wipe();
        a.lane().note(Moment::noted, {"all keys are wiped", "모든 키가 지워짐"});
    } else {
        if (story.fate == Fate::stands_still) {
            a.stop();
        }
        watch.await_expiry(a.lane());
    }
    Process b(stage, story.experiment, story.role, verbatim("B"), story.words);
    b.await("decided");
    b.go();
    b.await("written");
    if (story.fate == Fate::stands_still) {
        a.resume();
    }
    a.go();
    a.await("written");
    b.go();
    const Words of_b = b.finish();
    a.go();
    const Words of_a = a.finish();
    Round round;
    round.time = stage.timeline().elapsed() - begun;
    round.accepted = number(of_a, "accepted") + number(of_b, "accepted");
    round.refused = 2 - round.accepted;
    if (of_b.at("release") != "released") {
        round.surprise = say("B's release says {}", "B의 놓기가 {}라고 함", of_b.at("release"));
    } else if (of_a.at("release") == "released") {
        round.surprise = {"A's release found nothing amiss", "A의 놓기가 아무 문제도 못 찾음"};
    }
    if (report_of_a != nullptr) {
        *report_of_a = of_a;
    }
    return round;
}

}  // namespace passbook::lab
