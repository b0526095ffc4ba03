// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <thread>

#include "lab/catalogue.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr std::int64_t opening = 5'000;
constexpr std::int64_t spend = 3'000;
constexpr std::chrono::seconds patience{60};
constexpr std::chrono::milliseconds look_every{20};

constexpr const char* sum_up =
    "SELECT coalesce(sum(amount), 0) FROM entry WHERE account = 'wallet'";

/// Throws what `is_so` threw last, or that it was never so.
void wait_until(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const bool is_late = std::chrono::steady_clock::now() > deadline;
        try {
            if (is_so()) {
                return;
            }
        } catch (const std::runtime_error&) {
            if (is_late) {
                throw;
            }
        }
        if (is_late) {
            throw std::runtime_error("the standby does not follow");
        }
        std::this_thread::sleep_for(look_every);
    }
}

/// A standby that has seen the opening, and sees nothing more until this goes.
class PausedStandby {
public:
    explicit PausedStandby(Database& database) {
        wait_until([&] {
            session_ = database.connect_to_standby();
            return session_->row(sum_up).at(0) == opening;
        });
        session_->change("SELECT pg_wal_replay_pause()");
        try {
            wait_until([&] {
                return !session_->row("SELECT 1 WHERE pg_get_wal_replay_pause_state() = 'paused'")
                            .empty();
            });
        } catch (...) {
            resume();
            throw;
        }
    }
    ~PausedStandby() {
        resume();
    }
    PausedStandby(const PausedStandby&) = delete;
    PausedStandby& operator=(const PausedStandby&) = delete;

    [[nodiscard]] std::int64_t sum() const {
        return session_->row(sum_up).at(0);
    }

private:
    void resume() noexcept {
        try {
            session_->change("SELECT pg_wal_replay_resume()");
        } catch (const std::exception& error) {
            fmt::print(stderr, "passbook: lab: the replay of the standby stays paused: {}\n",
                       error.what());
        }
    }

    std::unique_ptr<Session> session_;
};

std::unique_ptr<Session> furnished(Database& database) {
    auto sql = database.connect();
    create_plain_tables(*sql);
    sql->begin();
    sql->change("INSERT INTO account (id, balance, version) VALUES ('wallet', ?1, 1)", {opening});
    sql->change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', 'opening', ?1)",
        {opening});
    sql->commit();
    return sql;
}

/// The check sees the standby, the insert goes to the primary.
Answer by_standby(Actor& actor, const Ask& ask, const PausedStandby& standby) {
    const std::int64_t sum = standby.sum();
    actor.note(Moment::read, say("standby sums entries: {}", "대기 서버의 항목 합계: {}", sum));
    if (sum + ask.amount < 0) {
        return Answer::refused;
    }
    actor.enter(ask);
    return Answer::accepted;
}

Answer by_primary(Actor& actor, const Ask& ask, const PausedStandby&) {
    actor.begin();
    const std::int64_t moved = actor.sql().change(
        "UPDATE account SET balance = balance + ?1 WHERE id = 'wallet' AND balance + ?1 >= 0",
        {ask.amount});
    actor.note(Moment::moved,
               say("primary: balance {:+}: {} row", "주 서버: 잔액 {:+}: {}행", ask.amount, moved));
    if (moved == 0) {
        actor.roll_back();
        return Answer::refused;
    }
    actor.enter(ask);
    actor.commit();
    return Answer::accepted;
}

void judge_two(Round& round, const PausedStandby& standby) {
    judge(round, 1, opening - spend);
    round.figures = {{{"standby shows", "대기 서버의 값"}, standby.sum()}};
    if (standby.sum() != opening) {
        round.surprise = {"the standby followed though its replay was paused",
                          "재생을 멈췄는데도 대기 서버가 따라옴"};
    }
    if (!round.failure.empty() && (round.accepted != 2 || round.entries_sum != -1'000)) {
        round.surprise = round.failure;
    }
}

Round on_plain_tables(Stage& stage,
                      const std::function<Answer(Actor&, const Ask&, const PausedStandby&)>& move) {
    const auto sql = furnished(stage.database());
    const PausedStandby standby(stage.database());
    Round round;
    const auto begun = stage.timeline().elapsed();
    for (const char* name : {"A", "B"}) {
        Actor actor(stage.database().connect(), stage.timeline().lane(verbatim(name)), nullptr);
        const bool accepted =
            move(actor, {.key = name, .amount = -spend}, standby) == Answer::accepted;
        actor.note(accepted ? Moment::accepted : Moment::refused,
                   accepted ? labels::accepted : labels::refused);
        (accepted ? round.accepted : round.refused) += 1;
    }
    round.time = stage.timeline().elapsed() - begun;
    round.entries_sum = sum_of_entries(*sql);
    judge_two(round, standby);
    return round;
}

/// The pause is the whole standby's, whichever database it is seen through.
Round on_passbook(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    (void)ledger.grant({.account = "wallet", .amount = opening, .key = "opening"});
    const auto sql = furnished(stage.database());
    const PausedStandby standby(stage.database());
    Round round;
    const auto begun = stage.timeline().elapsed();
    for (const char* name : {"A", "B"}) {
        const bool accepted =
            ledger.spend({.account = "wallet", .amount = spend, .key = name}).accepted();
        stage.timeline()
            .lane(verbatim(name))
            .note(accepted ? Moment::accepted : Moment::refused,
                  accepted ? labels::accepted : labels::refused);
        (accepted ? round.accepted : round.refused) += 1;
    }
    round.time = stage.timeline().elapsed() - begun;
    round.balance = ledger.account("wallet")->balance;
    round.entries_sum = 0;
    for (const Line& line : ledger.lines("wallet")) {
        *round.entries_sum += line.amount;
    }
    judge_two(round, standby);
    return round;
}

}  // namespace

Experiment s10_replica() {
    const auto way = [](std::string name, Promise promise, Text how,
                        std::function<Round(Stage&)> play) {
        return Way{
            .name = std::move(name),
            .promise = promise,
            .how = std::move(how),
            .play = std::move(play),
            .absences = {{Kind::sqlite, {"a file has no standby", "파일에는 대기 서버가 없다"}},
                         {Kind::mariadb,
                          {"played with a standby of PostgreSQL",
                           "PostgreSQL의 대기 서버로 돌린다"}}},
            .needs_standby = true};
    };
    return {
        .id = "S10",
        .question = {"May a decision be made on a replica?", "복제본을 보고 판정해도 될까?"},
        .setting = {"Entries sum to 5,000; a streaming standby has them, and its replay is paused. "
                    "Two spends of 3,000, one after the other.",
                    "항목 합계는 5,000. 스트리밍 대기 서버도 그것을 가졌고 재생은 멈춰 있다. 3,000 "
                    "사용 두 건이 차례로 온다."},
        .expectation = {"Deciding on what the standby shows approves both: sum -1,000. Deciding on "
                        "the primary approves one, whatever the standby shows.",
                        "대기 서버가 보여 주는 것으로 판정하면 둘 다 승인한다: 합계 -1,000. 주 "
                        "서버에서 판정하면 대기 서버가 무엇을 보여 주든 하나만 승인한다."},
        .ways = {way("decide_on_standby", Promise::unsafe,
                     {"sum the entries at the standby, insert at the primary",
                      "대기 서버에서 항목을 더하고, 주 서버에 넣는다"},
                     [](Stage& stage) { return on_plain_tables(stage, by_standby); }),
                 way("decide_on_primary", Promise::guarded,
                     {"one conditional UPDATE at the primary", "주 서버에서 조건을 건 UPDATE 하나"},
                     [](Stage& stage) { return on_plain_tables(stage, by_primary); }),
                 way("queue", Promise::guarded,
                     {"Passbook: decides on the primary alone",
                      "Passbook: 주 서버만 보고 판정한다"},
                     on_passbook)},
        .rounds = 2};
}

}  // namespace passbook::lab
