// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <array>
#include <atomic>

#include "lab/catalogue.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr const char* insert =
    "INSERT INTO request (idempotency_key, amount) VALUES ('order-1', -30)";

/// A holds its uncommitted row until B is seen to wait for it.
struct Encounter {
    Gate a_has_inserted;
    Gate b_waits;
    std::atomic<bool> a_commits = false;
};

void first(Actor& actor, Encounter& encounter) {
    const OpenAtEnd open(encounter.a_has_inserted);
    actor.begin();
    actor.sql().change(insert);
    actor.note(Moment::entered, {"inserts order-1", "order-1을 넣음"});
    encounter.a_has_inserted.open();
    encounter.b_waits.wait();
    encounter.a_commits = true;
    actor.commit();
}

/// Whether the key let it in; sets `waited` where that was known only once A committed.
bool second(Actor& actor, Encounter& encounter, bool& waited) {
    actor.sql().when_waiting([&] {
        actor.note(Moment::waited, {"waits for the other", "상대를 기다림"});
        encounter.b_waits.open();
    });
    const OpenAtEnd open(encounter.b_waits);
    encounter.a_has_inserted.wait();
    bool entered = true;
    try {
        actor.begin();
        actor.sql().change(insert);
        actor.note(Moment::entered, {"inserts order-1", "order-1을 넣음"});
        actor.commit();
    } catch (const Duplicate&) {
        actor.note(Moment::refused, {"key is taken", "키가 이미 있음"});
        actor.roll_back();
        entered = false;
    }
    waited = encounter.a_commits;
    return entered;
}

Round on_plain_tables(Stage& stage, bool unique) {
    const auto session = stage.database().connect();
    session->change(
        fmt::format("CREATE TABLE request (idempotency_key VARCHAR(128) NOT NULL{}, "
                    "amount BIGINT NOT NULL)",
                    unique ? " UNIQUE" : ""));
    Actor a(stage.database().connect(), stage.timeline().lane(actor_name(0)), nullptr);
    Actor b(stage.database().connect(), stage.timeline().lane(actor_name(1)), nullptr);
    Encounter encounter;
    bool entered = false;
    bool waited = false;
    const auto begun = stage.timeline().elapsed();
    together(2, [&](std::size_t n) {
        if (n == 0) {
            first(a, encounter);
        } else {
            entered = second(b, encounter, waited);
        }
    });
    Round round{.accepted = entered ? 2 : 1, .refused = entered ? 0 : 1};
    round.time = stage.timeline().elapsed() - begun;
    round.entries_sum = session->row("SELECT coalesce(sum(amount), 0) FROM request").at(0);
    if (entered) {
        round.failure = {"two entries under one key", "한 키로 항목이 두 건"};
    }
    // SQLite's one write lock is waited for whatever is written.
    if (!waited && (unique || stage.kind() == Kind::sqlite)) {
        round.surprise = {"B knew its answer before A committed",
                          "A가 커밋하기 전에 B가 결과를 알았음"};
    }
    return round;
}

Round on_passbook(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    (void)ledger.grant({.account = "wallet", .amount = 100, .key = "opening"});
    std::array<Timeline::Lane*, 2> lanes{&stage.timeline().lane(actor_name(0)),
                                         &stage.timeline().lane(actor_name(1))};
    std::atomic<int> replayed = 0;
    const auto begun = stage.timeline().elapsed();
    together(2, [&](std::size_t n) {
        const Outcome outcome = ledger.spend({.account = "wallet", .amount = 30, .key = "order-1"});
        replayed += outcome.replayed ? 1 : 0;
        lanes[n]->note(outcome.replayed ? Moment::noted : Moment::entered,
                       outcome.replayed ? Text("gets the first answer", "첫 응답을 그대로 받음")
                                        : Text("entry -30", "항목 -30"));
    });
    Round round{.accepted = 2};
    round.time = stage.timeline().elapsed() - begun;
    round.balance = ledger.account("wallet")->balance;
    round.entries_sum = 100;
    for (const Line& line : ledger.lines("wallet", 1)) {
        *round.entries_sum += line.amount;
    }
    if (replayed != 1 || *round.entries_sum != 70) {
        round.failure = say("{} replays, entries sum to {}", "재응답 {}건, 항목 합계 {}",
                            replayed.load(), *round.entries_sum);
    }
    return round;
}

}  // namespace

Experiment s11_unique_key() {
    return {.id = "S11",
            .question = {"When does a unique key judge?", "유일 키는 언제 판정할까?"},
            .setting = {"Two servers insert the same key at once, without looking it up; A commits "
                        "only once B is seen to wait, or is done.",
                        "서버 두 대가 찾아보지 않고 같은 키를 동시에 넣는다. A는 B가 기다리거나 "
                        "끝난 것을 본 뒤에야 커밋한다."},
            .expectation = {"B waits for A's commit, and only then loses: one entry. Without the "
                            "unique key there are two, and on a server nobody waits.",
                            "B는 A의 커밋을 기다렸다가 그때 비로소 진다: 항목 하나. 유일 키가 "
                            "없으면 둘이 되고, 서버에서는 아무도 기다리지 않는다."},
            .ways = {{.name = "no_key",
                      .promise = Promise::unsafe,
                      .how = {"the same insert into a table without the unique key",
                              "유일 키가 없는 테이블에 똑같이 넣는다"},
                      .play =
                          [](Stage& stage) {
                              return on_plain_tables(stage, false);
                          }},
                     {.name = "unique_key",
                      .promise = Promise::guarded,
                      .how = {"INSERT, and nothing before it", "먼저 찾아보지 않고 바로 INSERT"},
                      .play =
                          [](Stage& stage) {
                              return on_plain_tables(stage, true);
                          }},
                     {.name = "queue",
                      .promise = Promise::guarded,
                      .how = {"Passbook: one entry, and its answer to both",
                              "Passbook: 항목 하나, 둘 모두에게 그 응답"},
                      .play = on_passbook}}};
}

}  // namespace passbook::lab
