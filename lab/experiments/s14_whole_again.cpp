// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "lab/catalogue.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

constexpr std::size_t writers = 16;

/// What is done besides, and how often the database asked for a transaction again.
struct Counts {
    std::atomic<std::int64_t> asked_again = 0;
    std::atomic<std::int64_t> effects = 0;
};

/// Reads within the transaction, and leaves it open.
std::int64_t read_in_transaction(Actor& actor) {
    actor.begin(Level::serializable);
    const std::int64_t balance =
        actor.sql().row("SELECT balance FROM account WHERE id = 'wallet'").at(0);
    actor.note(Moment::read, say("reads balance {}", "잔액 {} 읽음", balance));
    actor.has_read();
    return balance;
}

void write(Actor& actor, const Ask& ask, std::int64_t balance) {
    actor.sql().change("UPDATE account SET balance = ?1 WHERE id = 'wallet'", {balance});
    actor.note(Moment::moved, say("balance = {}", "잔액 = {}", balance));
    actor.enter(ask);
    actor.commit();
}

void undo(Actor& actor, Counts& counts) {
    ++counts.asked_again;
    actor.roll_back();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// `effect` stands for a message to the outside, sent from within the transaction.
Answer whole_again(Actor& actor, const Ask& ask, Counts& counts, bool effect) {
    for (;;) {
        try {
            const std::int64_t balance = read_in_transaction(actor);
            if (effect) {
                ++counts.effects;
                actor.note(Moment::noted, {"sends a message", "메시지를 보냄"});
            }
            write(actor, ask, balance + ask.amount);
            return Answer::accepted;
        } catch (const AskedAgain&) {
            undo(actor, counts);
        }
    }
}

/// Keeps what it read, and repeats the write alone.
Answer write_again(Actor& actor, const Ask& ask, Counts& counts) {
    const std::int64_t balance = read_in_transaction(actor);
    for (;;) {
        try {
            write(actor, ask, balance + ask.amount);
            return Answer::accepted;
        } catch (const AskedAgain&) {
            undo(actor, counts);
            actor.begin();
        }
    }
}

Round played(Stage& stage, const std::function<Answer(Actor&, const Ask&, Counts&)>& move) {
    const auto counts = std::make_shared<Counts>();
    const Protection protection{.open = [&](Stage& on, std::int64_t opening) {
        return plain_wallet(on, opening, [counts, move](Actor& actor, const Ask& ask) {
            return move(actor, ask, *counts);
        });
    }};
    Round round = play(stage, protection,
                       {.opening = 0,
                        .amounts = std::vector<std::int64_t>(writers, 100),
                        .meet = Meet::after_read});
    judge(round, writers, 100 * writers);
    round.figures = {{{"again", "다시"}, counts->asked_again},
                     {{"messages", "메시지"}, counts->effects}};
    if (counts->asked_again == 0) {
        round.surprise = {"the database never asked for a transaction again",
                          "데이터베이스가 트랜잭션을 다시 요구한 적이 없음"};
    }
    if (counts->effects > round.accepted) {
        round.failure = say("{} messages for {} grants", "적립 {1}건에 메시지 {0}건",
                            counts->effects.load(), round.accepted);
    }
    return round;
}

}  // namespace

Experiment s14_whole_again() {
    const auto way = [](std::string name, Promise promise, Text how,
                        std::function<Answer(Actor&, const Ask&, Counts&)> move) {
        return Way{.name = std::move(name),
                   .promise = promise,
                   .how = std::move(how),
                   .play = [move = std::move(move)](Stage& stage) {
                       return played(stage, move);
                   }};
    };
    return {
        .id = "S14",
        .question = {"What must be done again when the database asks for it?",
                     "데이터베이스가 다시 하라고 하면 무엇을 다시 해야 할까?"},
        .setting = {"16 grants of 100 at once. Each reads in its transaction before any writes, "
                    "so the database asks all but one for the transaction again.",
                    "100 적립 16건이 동시에 온다. 저마다 트랜잭션 안에서 읽고, 모두 읽은 뒤에 "
                    "쓰므로 데이터베이스는 하나만 빼고 모두에게 트랜잭션을 다시 요구한다."},
        .expectation = {"Repeating the write alone loses grants. Repeating all of it is right, "
                        "but a message sent from within goes out more than once.",
                        "쓰기만 되풀이하면 적립을 잃는다. 전체를 되풀이하면 맞지만, 안에서 보낸 "
                        "메시지는 여러 번 나간다."},
        .ways = {way("write_again", Promise::unsafe,
                     {"repeat the write with what was read", "읽어 둔 값으로 쓰기만 되풀이한다"},
                     write_again),
                 way("message_inside", Promise::unsafe,
                     {"repeat all of it, with a message sent from within",
                      "전체를 되풀이하되, 안에서 메시지를 보낸다"},
                     [](Actor& actor, const Ask& ask, Counts& counts) {
                         return whole_again(actor, ask, counts, true);
                     }),
                 way("whole_again", Promise::guarded,
                     {"repeat all of it, from BEGIN", "BEGIN부터 전체를 되풀이한다"},
                     [](Actor& actor, const Ask& ask, Counts& counts) {
                         return whole_again(actor, ask, counts, false);
                     })},
        .rounds = 3};
}

}  // namespace passbook::lab
