// SPDX-License-Identifier: Apache-2.0
#include "lab/wallet.h"

#include <fmt/format.h>
#include <atomic>
#include <utility>

#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

/// The question and its answer on the time axis, whatever the way in between.
Answer told(const std::function<void(Moment, Text)>& note, const Ask& ask,
            const std::function<Answer()>& move) {
    note(Moment::asked, say("asks {:+} ({})", "{:+} 요청 ({})", ask.amount, ask.key));
    const Answer answer = move();
    if (answer == Answer::accepted) {
        note(Moment::accepted, labels::accepted);
    } else {
        note(Moment::refused, labels::refused);
    }
    return answer;
}

class PlainWallet : public Wallet {
public:
    PlainWallet(Stage& stage, std::int64_t opening, Move move, bool keeps_balance,
                bool keeps_entries)
        : database_(stage.database()),
          session_(database_.connect()),
          move_(std::move(move)),
          keeps_balance_(keeps_balance),
          keeps_entries_(keeps_entries) {
        create_plain_tables(*session_);
        session_->begin();
        session_->change("INSERT INTO account (id, balance, version) VALUES ('wallet', ?1, 1)",
                         {opening});
        if (keeps_entries_) {
            session_->change(
                "INSERT INTO entry (account, idempotency_key, amount) "
                "VALUES ('wallet', 'opening', ?1)",
                {opening});
        }
        session_->commit();
    }

    std::function<Answer(const Ask&)> actor(Timeline::Lane& lane, Meeting* after_read) override {
        auto actor = std::make_shared<Actor>(database_.connect(), lane, after_read);
        return [actor = std::move(actor), move = move_](const Ask& ask) {
            return told([&](Moment moment, Text text) { actor->note(moment, std::move(text)); },
                        ask, [&] { return move(*actor, ask); });
        };
    }

    std::optional<std::int64_t> balance() override {
        return keeps_balance_ ? std::optional(sum_of_balances(*session_)) : std::nullopt;
    }
    std::optional<std::int64_t> entries_sum() override {
        return keeps_entries_ ? std::optional(sum_of_entries(*session_)) : std::nullopt;
    }

private:
    Database& database_;
    std::unique_ptr<Session> session_;
    Move move_;
    bool keeps_balance_;
    bool keeps_entries_;
};

/// Passbook: every ask waits in the account's lane, and those that wait are committed together.
class QueueWallet : public Wallet {
public:
    QueueWallet(Stage& stage, std::int64_t opening) : ledger_(Ledger::open(stage.store_url())) {
        (void)ledger_.grant({.account = "wallet", .amount = opening, .key = "opening"});
    }

    std::function<Answer(const Ask&)> actor(Timeline::Lane& lane, Meeting* after_read) override {
        if (after_read != nullptr) {
            after_read->drop();  // It reads nothing to decide on.
        }
        return [this, &lane](const Ask& ask) {
            return told([&](Moment moment, Text text) { lane.note(moment, std::move(text)); }, ask,
                        [&] { return submit(lane, ask); });
        };
    }

    std::optional<std::int64_t> balance() override {
        return ledger_.account("wallet")->balance;
    }

    std::optional<std::int64_t> entries_sum() override {
        std::int64_t sum = 0;
        std::int64_t seq = 0;
        for (auto lines = ledger_.lines("wallet", seq, 1000); !lines.empty();
             lines = ledger_.lines("wallet", seq, 1000)) {
            for (const Line& line : lines) {
                sum += line.amount;
            }
            seq = lines.back().seq;
        }
        return sum;
    }

private:
    Answer submit(Timeline::Lane& lane, const Ask& ask) {
        lane.note(Moment::waited, {"waits in the lane", "레인에서 기다림"});
        const Outcome outcome =
            ask.amount > 0
                ? ledger_.grant({.account = "wallet", .amount = ask.amount, .key = ask.key})
                : ledger_.spend({.account = "wallet", .amount = -ask.amount, .key = ask.key});
        if (!outcome.accepted()) {
            return Answer::refused;
        }
        lane.note(Moment::entered, say("entry {:+}, balance {}", "항목 {:+}, 잔액 {}", ask.amount,
                                       outcome.receipt->balance));
        return Answer::accepted;
    }

    Ledger ledger_;
};

}  // namespace

std::unique_ptr<Wallet> plain_wallet(Stage& stage, std::int64_t opening, Move move,
                                     bool keeps_balance, bool keeps_entries) {
    return std::make_unique<PlainWallet>(stage, opening, std::move(move), keeps_balance,
                                         keeps_entries);
}

Protection queue() {
    return {.name = "queue",
            .promise = Promise::guarded,
            .how = {"Passbook: a queue per account, many in one commit",
                    "Passbook: 계좌마다 대기열, 여럿을 커밋 한 번에"},
            .open = [](Stage& stage, std::int64_t opening) -> std::unique_ptr<Wallet> {
                return std::make_unique<QueueWallet>(stage, opening);
            }};
}

Round play(Stage& stage, const Protection& protection, const Race& race) {
    const auto wallet = protection.open(stage, race.opening);
    const std::size_t count = race.amounts.size();
    Meeting all_read(count);
    std::vector<Timeline::Lane*> lanes;
    for (std::size_t n = 0; n < count; ++n) {
        lanes.push_back(&stage.timeline().lane(actor_name(n)));
    }
    std::vector<std::function<Answer(const Ask&)>> actors(count);
    together(count, [&](std::size_t n) {
        actors[n] = wallet->actor(*lanes[n], race.meet == Meet::after_read ? &all_read : nullptr);
    });
    Round round;
    round.waits.resize(count);
    std::atomic<std::int64_t> accepted = 0;
    const auto begun = stage.timeline().elapsed();
    together(count, [&](std::size_t n) {
        const auto ask = std::exchange(actors[n], nullptr);  // Whoever ends is waited for no more.
        const auto asked = stage.timeline().elapsed();
        accepted += ask({.key = fmt::format("key-{}", n + 1), .amount = race.amounts[n]}) ==
                    Answer::accepted;
        round.waits[n] = stage.timeline().elapsed() - asked;
    });
    round.time = stage.timeline().elapsed() - begun;
    round.accepted = accepted;
    round.refused = static_cast<std::int64_t>(count) - round.accepted;
    round.balance = wallet->balance();
    round.entries_sum = wallet->entries_sum();
    if (race.afterwards) {
        race.afterwards(*wallet, round);
    }
    return round;
}

void judge(Round& round, std::int64_t accepted, std::int64_t sum) {
    if (round.accepted != accepted || round.entries_sum != sum ||
        round.balance.value_or(sum) != sum) {
        round.failure = say("{} accepted where {} may be", "{1}건만 받아야 하는데 {0}건을 받음",
                            round.accepted, accepted);
        if (round.accepted == accepted) {
            round.failure =
                say("balance and entries should be {}", "잔액과 항목 합계는 {}이어야 함", sum);
        }
    }
}

std::vector<Way> ways_of(const std::vector<Protection>& protections,
                         const std::function<Round(Stage&, const Protection&)>& play) {
    std::vector<Way> ways;
    for (const Protection& protection : protections) {
        ways.push_back(
            {.name = protection.name,
             .promise = protection.promise,
             .how = protection.how,
             .play = [protection, play](Stage& stage) { return play(stage, protection); },
             .absences = protection.absences});
    }
    return ways;
}

}  // namespace passbook::lab
