// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/labels.h"
#include "lab/passbook_server.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

const Words spend{{"amount", "-3000"}, {"ttl", "3000"}};

Round on_plain_tables(Stage& stage, std::string_view role, Watch::Of lock) {
    create_held_wallet(stage, lock == Watch::Of::our_lock);
    Round round =
        tell(stage, {.experiment = "S4", .role = std::string(role), .lock = lock, .words = spend});
    read_held_wallet(stage, round);
    judge(round, 1, 2'000);
    if (!round.failure.empty() && (round.accepted != 2 || round.entries_sum != -1'000)) {
        round.surprise = say("{} accepted, entries sum to {}", "{}건 승인, 항목 합계 {}",
                             round.accepted, round.entries_sum.value_or(0));
    }
    return round;
}

Round on_passbook(Stage& stage) {
    const PassbookServer server(stage.store_url());
    Words words = spend;
    words.emplace("server", server.url());
    if (move_over_http(server.url(), wallet_key, held_wallet_opening, "opening").status != 201) {
        return {.surprise = {"the opening grant was not accepted", "여는 적립이 승인되지 않음"}};
    }
    Round round = tell(stage, {.experiment = "S4", .role = "lock_and_passbook", .words = words});
    round.balance = balance_over_http(server.url(), wallet_key);
    if (round.accepted != 1 || round.balance != 2'000) {
        round.failure =
            say("{} accepted, balance {}", "{}건 승인, 잔액 {}", round.accepted, *round.balance);
    }
    return round;
}

/// As work_under, with a server that keeps the account.
void work_on_server(Self& self) {
    OurHeld lock(self);
    const std::string& server = self.word("server");
    const std::int64_t amount = self.number("amount");
    self.note(Moment::asked,
              say("asks {:+} (key {})", "{:+} 요청 (키 {})", amount, self.word("name")));
    if (!lock.acquire(wallet_key, std::chrono::seconds(30))) {
        throw std::runtime_error("no lock");
    }
    self.note(Moment::read,
              say("reads balance {}", "잔액 {} 읽음", balance_over_http(server, wallet_key)));
    self.here("decided");
    const Told told = move_over_http(server, wallet_key, amount, "key-" + self.word("name"));
    const bool is_accepted = told.status == 201;
    self.note(is_accepted ? Moment::accepted : Moment::refused,
              is_accepted ? Text("201 accepted", "201 승인")
                          : verbatim(fmt::format("{} {}", told.status, told.code)));
    self.here("written");
    self.report("release", lock.release());
    self.report("accepted", is_accepted ? 1 : 0);
}

}  // namespace

Experiment s4_time_out() {
    const auto plain = [](const char* role, Watch::Of lock) {
        return [=](Stage& stage) {
            return on_plain_tables(stage, role, lock);
        };
    };
    return {
        .id = "S4",
        .question = {"Does a lock's time-out stop its holder?",
                     "락의 시간이 다하면 보유자가 멈출까?"},
        .setting = {"Balance 5,000; two processes spend 3,000 each under a lock with a TTL of 3 s. "
                    "A reads, checks, and is stopped (SIGSTOP) for longer than that; B gets the "
                    "lock and spends; A goes on.",
                    "잔액 5,000. 프로세스 둘이 TTL 3초인 락 아래 3,000씩 쓴다. A는 읽고 검사한 뒤 "
                    "그보다 오래 멈춰 선다(SIGSTOP). B가 락을 얻어 쓴다. A가 다시 간다."},
        .expectation =
            {"Both believe to hold the lock. With the lock alone both spend: entries -1,000. The "
             "condition in the UPDATE, the fence, and Passbook each refuse A.",
             "둘 다 락을 쥐고 있다고 믿는다. 락만으로는 둘 다 쓴다: 항목 합계 -1,000. UPDATE의 "
             "조건, 펜스, Passbook은 저마다 A를 거절한다."},
        .ways = {{.name = "lock_only",
                  .promise = Promise::unsafe,
                  .how = {"lock, read, check, write back; unlock",
                          "락, 읽기, 검사, 되쓰기; 락 해제"},
                  .play = plain("lock_only", Watch::Of::trade_lock)},
                 {.name = "lock_and_atomic",
                  .promise = Promise::guarded,
                  .how = {"lock, then UPDATE … WHERE balance is enough",
                          "락, 그다음 UPDATE … WHERE 잔액 충분"},
                  .play = plain("lock_and_atomic", Watch::Of::our_lock)},
                 {.name = "lock_and_fence",
                  .promise = Promise::guarded,
                  .how = {"lock, then UPDATE … WHERE fence is no later one",
                          "락, 그다음 UPDATE … WHERE 더 늦은 펜스가 없음"},
                  .play = plain("lock_and_fence", Watch::Of::our_lock)},
                 {.name = "lock_and_passbook",
                  .promise = Promise::guarded,
                  .how = {"lock, then ask Passbook to spend", "락, 그다음 Passbook에 사용을 요청"},
                  .play = on_passbook}},
        .rounds = 1,
        .roles = {{"lock_only",
                   [](Self& self) {
                       TradeHeld lock(self, Release::compare_and_delete);
                       work_under(self, lock, write_over);
                   }},
                  {"lock_and_atomic",
                   [](Self& self) {
                       OurHeld lock(self);
                       work_under(self, lock, write_if_enough);
                   }},
                  {"lock_and_fence",
                   [](Self& self) {
                       OurHeld lock(self);
                       work_under(self, lock, write_with_fence);
                   }},
                  {"lock_and_passbook", work_on_server}},
        .has_locks = true};
}

}  // namespace passbook::lab
