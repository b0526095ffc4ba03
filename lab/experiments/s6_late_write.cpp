// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

const Words grant{{"amount", "100"}, {"ttl", "800"}};

Round played(Stage& stage, const char* role, Watch::Of lock) {
    create_held_wallet(stage, lock == Watch::Of::our_lock);
    Round round = tell(stage, {.experiment = "S6", .role = role, .lock = lock, .words = grant});
    read_held_wallet(stage, round);
    if (round.balance != round.entries_sum) {
        round.failure = {"a grant is lost from the balance", "적립 하나가 잔액에서 사라짐"};
    } else if (round.entries_sum != held_wallet_opening + 100 * round.accepted) {
        round.surprise = say("entries sum to {}", "항목 합계 {}", *round.entries_sum);
    }
    return round;
}

/// Looks once more whether the lock is its own, and is stopped between that look and the write.
void check_then_write(Self& self) {
    TradeHeld lock(self, Release::compare_and_delete);
    if (!lock.acquire(wallet_key, std::chrono::seconds(30))) {
        throw std::runtime_error("no lock");
    }
    const std::int64_t balance = read_balance(self);
    const bool is_mine = lock.is_mine();
    self.here("decided");
    self.report("accepted", is_mine && write_over(self, lock, balance) ? 1 : 0);
    self.here("written");
    self.report("release", lock.release());
}

}  // namespace

Experiment s6_late_write() {
    const auto by = [](const char* role, Watch::Of lock) {
        return [=](Stage& stage) {
            return played(stage, role, lock);
        };
    };
    return {
        .id = "S6",
        .question = {"Is a write in time because the release compares the owner?",
                     "놓을 때 주인을 확인하면 쓰기도 제때일까?"},
        .setting =
            {"Balance 5,000, two grants of 100 under a lock with a TTL of 0.8 s. A reads and is "
             "stopped for longer; B grants; A goes on, writes, and releases by compare-and-delete.",
             "잔액 5,000, TTL 0.8초인 락 아래 100씩 적립 두 번. A는 읽고 그보다 오래 멈춰 있다. "
             "B가 적립한다. A가 다시 가서 쓰고, 비교 후 삭제로 놓는다."},
        .expectation =
            {"The release finds out too late, and so does a look before the write: balance 5,100, "
             "entries 5,200. The fence refuses A; one UPDATE that adds loses nothing.",
             "놓을 때는 이미 늦었고, 쓰기 전에 보아도 늦다: 잔액 5,100, 항목 5,200. 펜스는 A를 "
             "거절하고, 더하는 UPDATE 하나는 아무것도 잃지 않는다."},
        .ways =
            {{.name = "owner_checked",
              .promise = Promise::unsafe,
              .how = {"read, write back; release compares the owner",
                      "읽고 되쓴다; 놓을 때 주인을 확인한다"},
              .play = by("owner_checked", Watch::Of::trade_lock)},
             {.name = "check_then_write",
              .promise = Promise::unsafe,
              .how = {"the same, and the owner is looked up before the write",
                      "똑같이 하되, 쓰기 전에 주인을 한 번 더 본다"},
              .play = by("check_then_write", Watch::Of::trade_lock)},
             {.name = "fence",
              .promise = Promise::guarded,
              .how = {"UPDATE … WHERE fence is no later one", "UPDATE … WHERE 더 늦은 펜스가 없음"},
              .play = by("fence", Watch::Of::our_lock)},
             {.name = "atomic",
              .promise = Promise::guarded,
              .how = {"UPDATE … SET balance = balance + amount", "UPDATE … SET 잔액 = 잔액 + 금액"},
              .play = by("atomic", Watch::Of::our_lock)}},
        .rounds = 1,
        .roles = {{"owner_checked",
                   [](Self& self) {
                       TradeHeld lock(self, Release::compare_and_delete);
                       work_under(self, lock, write_over);
                   }},
                  {"check_then_write", check_then_write},
                  {"fence",
                   [](Self& self) {
                       OurHeld lock(self);
                       work_under(self, lock, write_with_fence);
                   }},
                  {"atomic",
                   [](Self& self) {
                       OurHeld lock(self);
                       work_under(self, lock, write_if_enough);
                   }}},
        .has_locks = true};
}

}  // namespace passbook::lab
