// SPDX-License-Identifier: Apache-2.0

#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/labels.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// A's time passes, and B has the lock; then A lets go, and C asks while B still works.
Round played(Stage& stage, const char* role, Watch::Of lock) {
    create_held_wallet(stage, lock == Watch::Of::our_lock);
    Watch watch(stage, lock);
    const Words brief{{"amount", "-3000"}, {"ttl", "600"}};
    const Words lasting{{"amount", "-3000"}, {"ttl", "30000"}};
    const auto begun = stage.timeline().elapsed();
    Process a(stage, "S5", std::string(role) + ", late", verbatim("A"), brief);
    a.await("acquired");
    a.stop();
    watch.await_expiry(a.lane());
    Process b(stage, "S5", role, verbatim("B"), lasting);
    b.await("decided");
    a.resume();
    a.go();
    const Words of_a = a.finish();
    Process c(stage, "S5", std::string(role) + ", at once", verbatim("C"), lasting);
    const Words of_c = c.finish();
    b.go();
    b.await("written");
    b.go();
    const Words of_b = b.finish();
    Round round;
    round.time = stage.timeline().elapsed() - begun;
    round.accepted = number(of_b, "accepted") + number(of_c, "accepted");
    round.refused = 2 - round.accepted;
    read_held_wallet(stage, round);
    judge(round, 1, 2'000);
    if (!round.failure.empty()) {
        round.failure = say("C got in beside B: {}", "C가 B 옆으로 들어옴: {}", round.failure);
    } else if (of_a.at("release") != "not_owner") {
        round.surprise = say("A was not told not_owner, but {}",
                             "A가 not_owner가 아니라 {} 통보를 받음", of_a.at("release"));
    }
    return round;
}

/// Takes the lock, and lets go too late.
void let_go_late(Self& self, HeldLock& lock) {
    if (!lock.acquire(wallet_key, std::chrono::seconds(30))) {
        throw std::runtime_error("no lock");
    }
    self.here("acquired");
    self.report("release", lock.release());
}

/// Spends where the lock is free, and waits for nobody.
void spend_at_once(Self& self, HeldLock& lock, const Write& write) {
    bool is_accepted = false;
    if (lock.acquire(wallet_key, {})) {
        const std::int64_t balance = read_balance(self);
        is_accepted = balance + self.number("amount") >= 0 && write(self, lock, balance);
        lock.release();
    }
    self.note(is_accepted ? Moment::accepted : Moment::refused,
              is_accepted ? labels::accepted : labels::refused);
    self.report("accepted", is_accepted ? 1 : 0);
}

std::map<std::string, Act> roles() {
    const auto trade = [](const std::function<void(Self&, HeldLock&)>& work) -> Act {
        return [work](Self& self) {
            TradeHeld lock(self, Release::plain_delete);
            work(self, lock);
        };
    };
    const auto ours = [](const std::function<void(Self&, HeldLock&)>& work) -> Act {
        return [work](Self& self) {
            OurHeld lock(self);
            work(self, lock);
        };
    };
    const auto work = [](Self& self, HeldLock& lock) {
        work_under(self, lock, write_over);
    };
    const auto at_once = [](Self& self, HeldLock& lock) {
        spend_at_once(self, lock, write_over);
    };
    return {{"plain_del", trade(work)},
            {"plain_del, late", trade(let_go_late)},
            {"plain_del, at once", trade(at_once)},
            {"compare_and_delete", ours(work)},
            {"compare_and_delete, late", ours(let_go_late)},
            {"compare_and_delete, at once", ours(at_once)}};
}

}  // namespace

Experiment s5_plain_del() {
    return {.id = "S5",
            .question = {"May a lock be freed by its key alone?", "락을 이름만으로 풀어도 될까?"},
            .setting =
                {"Balance 5,000, spends of 3,000 under a lock. A is stopped beyond its TTL, B gets "
                 "the lock and reads. A wakes up and lets go; C asks for the lock; B writes.",
                 "잔액 5,000, 락 아래 3,000씩 사용. A가 TTL을 넘겨 멈춰 있고, B가 락을 얻어 "
                 "읽는다. A가 깨어나 락을 놓고, C가 락을 청하고, B가 쓴다."},
            .expectation =
                {"DEL frees B's lock: C gets in beside B, entries -1,000. Compare-and-delete "
                 "leaves it to B, A is told not_owner, and C is turned away.",
                 "DEL은 B의 락을 푼다: C가 B 옆으로 들어와 항목 합계 -1,000. 비교 후 삭제는 락을 "
                 "B에게 남기고, A는 not_owner를 통보받고, C는 돌려보내진다."},
            .ways = {{.name = "plain_del",
                      .promise = Promise::unsafe,
                      .how = {"release by DEL of the key", "키를 DEL로 지워 놓는다"},
                      .play =
                          [](Stage& stage) {
                              return played(stage, "plain_del", Watch::Of::trade_lock);
                          }},
                     {.name = "compare_and_delete",
                      .promise = Promise::guarded,
                      .how = {"Passbook's lock: release by its own token alone",
                              "Passbook의 락: 제 토큰으로만 놓는다"},
                      .play =
                          [](Stage& stage) {
                              return played(stage, "compare_and_delete", Watch::Of::our_lock);
                          }}},
            .rounds = 2,
            .roles = roles(),
            .has_locks = true};
}

}  // namespace passbook::lab
