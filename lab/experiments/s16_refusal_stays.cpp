// SPDX-License-Identifier: Apache-2.0

#include "lab/catalogue.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

/// Sends a spend of 80 under the key.
using Send = std::function<Answer(const std::string& key)>;

/// Refused; then there is enough; then the same key, twice, and a new one.
Round tell(Timeline::Lane& lane, const Send& send, const std::function<void()>& grant) {
    const auto ask = [&](const std::string& key) {
        lane.note(Moment::asked, say("spend 80 ({})", "80 사용 ({})", key));
        const Answer answer = send(key);
        const bool accepted = answer == Answer::accepted;
        lane.note(accepted ? Moment::accepted : Moment::refused,
                  accepted ? labels::accepted : labels::refused);
        return answer;
    };
    Round round;
    const auto begun = std::chrono::steady_clock::now();
    if (ask("order-1") == Answer::accepted) {
        round.surprise = {"80 of 50 was accepted", "50에서 80이 승인됨"};
    }
    grant();
    lane.note(Moment::noted, {"a grant of 100 comes", "100 적립이 옴"});
    if (ask("order-1") == Answer::accepted || ask("order-1") == Answer::accepted) {
        round.failure = {"what had been refused was accepted by a retry",
                         "거절된 것이 재시도에서 승인됨"};
    }
    round.accepted = ask("order-2") == Answer::accepted ? 1 : 0;
    round.refused = 1;
    round.time = std::chrono::steady_clock::now() - begun;
    if (round.accepted == 0 && round.failure.empty()) {
        round.surprise = {"a new key was refused too", "새 키까지 거절됨"};
    }
    return round;
}

/// Guarded like any careful spend; `remembers`: a refusal is kept under its key as well.
Round on_plain_tables(Stage& stage, bool remembers) {
    Actor actor(stage.database().connect(), stage.timeline().lane(actor_name(0)), nullptr);
    Session& sql = actor.sql();
    create_plain_tables(sql);
    sql.change("CREATE TABLE refusal (idempotency_key VARCHAR(128) PRIMARY KEY)");
    sql.change("INSERT INTO account (id, balance, version) VALUES ('wallet', 50, 1)");
    sql.change(
        "INSERT INTO entry (account, idempotency_key, amount) "
        "VALUES ('wallet', 'opening', 50)");
    const auto spend = [&](const std::string& key) {
        actor.begin();
        const bool known =
            !sql.row("SELECT 1 FROM refusal WHERE idempotency_key = ?1", {key}).empty();
        if (!known && sql.change("UPDATE account SET balance = balance - 80 "
                                 "WHERE id = 'wallet' AND balance >= 80") == 1) {
            actor.enter({.key = key, .amount = -80});
            actor.commit();
            return Answer::accepted;
        }
        if (!known && remembers) {
            sql.change("INSERT INTO refusal (idempotency_key) VALUES (?1)", {key});
            actor.note(Moment::noted, {"keeps the refusal", "거절을 저장"});
        }
        actor.commit();
        return Answer::refused;
    };
    Round round = tell(stage.timeline().lane({"client", "클라이언트"}), spend, [&] {
        sql.begin();
        sql.change("UPDATE account SET balance = balance + 100 WHERE id = 'wallet'");
        sql.change(
            "INSERT INTO entry (account, idempotency_key, amount) "
            "VALUES ('wallet', 'grant', 100)");
        sql.commit();
    });
    round.balance = sum_of_balances(sql);
    round.entries_sum = sum_of_entries(sql);
    return round;
}

Round on_passbook(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    (void)ledger.grant({.account = "wallet", .amount = 50, .key = "opening"});
    Round round = tell(
        stage.timeline().lane({"client", "클라이언트"}),
        [&](const std::string& key) {
            return ledger.spend({.account = "wallet", .amount = 80, .key = key}).accepted()
                       ? Answer::accepted
                       : Answer::refused;
        },
        [&] { (void)ledger.grant({.account = "wallet", .amount = 100, .key = "grant"}); });
    round.balance = ledger.account("wallet")->balance;
    round.entries_sum = 0;
    for (const Line& line : ledger.lines("wallet")) {
        *round.entries_sum += line.amount;
    }
    return round;
}

}  // namespace

Experiment s16_refusal_stays() {
    return {
        .id = "S16",
        .question = {"Does a refusal stay a refusal?", "한 번 거절은 끝까지 거절일까?"},
        .setting = {"Balance 50. A spend of 80 is refused; a grant of 100 comes; the same key "
                    "is sent again, and once more much later; then a new key.",
                    "잔액 50. 80 사용이 거절되고, 100 적립이 온다. 같은 키를 다시 보내고, 한참 "
                    "뒤에 또 보낸다. 그다음은 새 키."},
        .expectation = {"Where refusals are not kept, the late retry is accepted, and the "
                        "customer pays for what was given up. Kept: refused; the new key "
                        "succeeds.",
                        "거절을 저장하지 않으면 늦은 재시도가 승인되어, 고객은 이미 포기한 것의 "
                        "값을 치른다. 저장하면 여전히 거절이고, 새 키는 성공한다."},
        .ways = {{.name = "not_kept",
                  .promise = Promise::unsafe,
                  .how = {"only what was accepted is kept under its key",
                          "승인된 것만 키와 함께 저장한다"},
                  .play =
                      [](Stage& stage) {
                          return on_plain_tables(stage, false);
                      }},
                 {.name = "kept",
                  .promise = Promise::guarded,
                  .how = {"a refusal is kept under its key as well", "거절도 키와 함께 저장한다"},
                  .play =
                      [](Stage& stage) {
                          return on_plain_tables(stage, true);
                      }},
                 {.name = "queue",
                  .promise = Promise::guarded,
                  .how = verbatim("Passbook"),
                  .play = on_passbook}},
        .rounds = 2};
}

}  // namespace passbook::lab
