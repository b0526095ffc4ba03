// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <thread>

#include "lab/catalogue.h"
#include "lab/crowd.h"
#include "lab/held_lock.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr std::int64_t workers = 8;
constexpr std::int64_t requests_each = 6;

void add_one(Self& self, std::int64_t account, std::int64_t request) {
    const std::string id = fmt::format("account-{}", account);
    const std::int64_t balance =
        self.sql().row("SELECT balance FROM account WHERE id = ?1", {id}).at(0);
    self.note(Moment::read, say("reads balance {}", "잔액 {} 읽음", balance));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    self.begin();
    self.sql().change("UPDATE account SET balance = ?1 WHERE id = ?2", {balance + 1, id});
    self.sql().change("INSERT INTO entry (account, idempotency_key, amount) VALUES (?1, ?2, 1)",
                      {id, fmt::format("request-{}", request)});
    self.note(Moment::moved, say("balance = {}, entry +1", "잔액 = {}, 항목 +1", balance + 1));
    self.commit();
}

/// What a lock of this width is called for a request.
std::string key_of(const std::string& width, std::int64_t account, std::int64_t request) {
    if (width == "request") {
        return fmt::format("lock:request:{}", request);
    }
    return width == "account" ? fmt::format("lock:account:{}", account) : "lock:all";
}

void work(Self& self) {
    OurHeld lock(self);
    const std::int64_t accounts = self.number("accounts");
    (void)self.sql();
    self.here("ready");
    std::int64_t accepted = 0;
    for (std::int64_t n = 0; n < requests_each; ++n) {
        const std::int64_t request = self.number("worker") * requests_each + n;
        const std::int64_t account = request * 37 % accounts;
        if (lock.acquire(key_of(self.word("width"), account, request), std::chrono::seconds(50))) {
            add_one(self, account, request);
            lock.release();
            ++accepted;
        }
    }
    self.here("done");
    self.report("accepted", accepted);
}

Round played(Stage& stage, const std::string& width, std::int64_t accounts) {
    (void)Ledger::open(stage.store_url());
    const auto session = stage.database().connect();
    create_plain_tables(*session);
    session->begin();
    for (std::int64_t n = 0; n < accounts; ++n) {
        session->change("INSERT INTO account (id, balance, version) VALUES (?1, 0, 1)",
                        {fmt::format("account-{}", n)});
    }
    session->commit();
    const Crowd done =
        crowd(stage, "S8", "work", workers,
              {{"ttl", "20000"}, {"width", width}, {"accounts", fmt::format("{}", accounts)}});
    Round round{.accepted = done.sum("accepted"), .time = done.time};
    round.balance = sum_of_balances(*session);
    round.entries_sum = sum_of_entries(*session);
    round.figures = {{labels::per_second, per_second(round.accepted, done.time)}};
    if (round.balance != round.entries_sum) {
        round.failure = say("{} grants are lost from the balance", "적립 {}건이 잔액에서 사라짐",
                            *round.entries_sum - *round.balance);
    }
    if (round.accepted != workers * requests_each) {
        round.surprise = say("only {} got the lock", "{}건만 락을 얻음", round.accepted);
    }
    return round;
}

Way way(const std::string& width, std::int64_t accounts, Promise promise, Text how) {
    return {.name = fmt::format("per {}, {}", width, accounts),
            .promise = promise,
            .how = std::move(how),
            .play = [=](Stage& stage) {
                return played(stage, width, accounts);
            }};
}

}  // namespace

Experiment s8_which_key() {
    return {
        .id = "S8",
        .question = {"Which key is to be locked?", "어떤 이름을 잠가야 할까?"},
        .setting = {"8 processes make 48 grants of 1, first on one account, then on 1,000: under "
                    "the lock each reads the balance, works for 10 ms, and writes it back.",
                    "프로세스 8개가 1씩 48번 적립한다. 처음에는 계좌 하나에, 다음에는 계좌 "
                    "1,000개에. 저마다 락 아래 잔액을 읽고, 10ms 일하고, 되쓴다."},
        .expectation =
            {"A key per request keeps nobody apart: grants are lost. One key for all makes "
             "unrelated accounts wait. A key per account is right, and fast on many.",
             "요청마다의 이름은 누구도 떼어 놓지 못한다: 적립을 잃는다. 모두에 이름 하나는 "
             "상관없는 계좌까지 기다리게 한다. 계좌마다의 이름은 맞고, 계좌가 많으면 빠르다."},
        .ways = {way("request", 1, Promise::unsafe, verbatim("lock:request:{id}")),
                 way("account", 1, Promise::guarded, verbatim("lock:account:{id}")),
                 way("all", 1, Promise::guarded, verbatim("lock:all")),
                 way("request", 1'000, Promise::shown,
                     {"nobody meets: nothing shows the mistake",
                      "아무도 만나지 않아 실수가 드러나지 않는다"}),
                 way("account", 1'000, Promise::guarded, verbatim("lock:account:{id}")),
                 way("all", 1'000, Promise::guarded, verbatim("lock:all"))},
        .rounds = 1,
        .compare =
            [](const std::vector<Round>& rounds) {
                const auto rate = [&](std::size_t way) {
                    return rounds.at(way).figures.at(0).value;
                };
                return 4 * rate(4) > 5 * rate(5)
                           ? Text()
                           : Text("a key per account is not faster by a quarter than one for all",
                                  "계좌마다의 이름이 모두의 이름 하나보다 4분의 1만큼 빠르지 않음");
            },
        .roles = {{"work", work}},
        .has_locks = true,
        .is_measured = true};
}

}  // namespace passbook::lab
