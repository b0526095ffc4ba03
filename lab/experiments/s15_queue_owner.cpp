// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "lab/catalogue.h"
#include "lab/keeper.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

using std::chrono::nanoseconds;

/// A burst as its sender sees it.
struct Burst {
    std::int64_t size = 0;
    std::set<std::int64_t> unanswered;
    std::vector<nanoseconds> latencies;
    std::int64_t replayed = 0;

    explicit Burst(std::int64_t count) : size(count) {
        for (std::int64_t n = 1; n <= count; ++n) {
            unanswered.insert(unanswered.end(), n);
        }
    }

    [[nodiscard]] std::int64_t answered() const {
        return size - static_cast<std::int64_t>(unanswered.size());
    }
};

std::string key_of(std::int64_t number) {
    return fmt::format("key-{}", number);
}

/// Sends what has no answer yet, at once and in order.
void send(Process& owner, const Burst& burst) {
    std::string lines;
    for (const std::int64_t number : burst.unanswered) {
        lines += asked_for(key_of(number), 1, number) + "\n";
    }
    lines.pop_back();
    owner.ask(lines);
}

/// Takes answers until so many are there in all, or the owner stops behind a commit.
void take(Process& owner, Burst& burst, std::int64_t until, Timeline& timeline, nanoseconds begun) {
    while (burst.answered() < until) {
        const auto text = owner.answer();
        if (text == "committed") {
            owner.lane().note(Moment::committed, verbatim("COMMIT"));
            return;
        }
        const auto answer = kept(text);
        if (!answer || !answer->is_accepted) {
            throw std::runtime_error("the owner of the queue does not answer");
        }
        if (burst.unanswered.erase(std::stoll(answer->key.substr(4))) == 1) {
            burst.latencies.push_back(timeline.elapsed() - begun);
            burst.replayed += answer->is_replayed ? 1 : 0;
        }
    }
}

/// The middle, and what all but one of a hundred are under.
std::vector<Round::Figure> latencies(Burst& burst, nanoseconds time) {
    std::sort(burst.latencies.begin(), burst.latencies.end());
    const auto ms = [&](std::size_t percent) {
        const nanoseconds at = burst.latencies.at((burst.latencies.size() - 1) * percent / 100);
        return std::chrono::duration_cast<std::chrono::milliseconds>(at).count();
    };
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    return {{labels::per_second, burst.size * 1'000'000 / std::max<std::int64_t>(micros, 1)},
            {verbatim("p50 ms"), ms(50)},
            {verbatim("p99 ms"), ms(99)}};
}

struct Killed {
    std::string role;
    std::int64_t size = 0;
    Words words = {};
    std::int64_t killed_at = 0;  ///< Answers, when the first owner is killed at the latest.
};

/// A burst to one owner, which is killed midway; another takes over.
Round burst_to_two(Stage& stage, const Killed& story, Burst& burst) {
    Process first(stage, "S15", story.role, Text("first owner", "첫 주인"), story.words);
    first.await("ready");
    first.go();
    const auto begun = stage.timeline().elapsed();
    send(first, burst);
    first.lane().note(Moment::asked, say("{} requests sent", "요청 {}건 보냄", story.size));
    take(first, burst, story.killed_at, stage.timeline(), begun);
    first.kill();
    first.lane().note(Moment::noted, say("{} were answered", "{}건 응답받음", burst.answered()));
    Words words = story.words;
    words.insert_or_assign("stops_after", "0");
    Process second(stage, "S15", story.role, Text("second owner", "둘째 주인"), words);
    second.await("ready");
    second.go();
    second.lane().note(Moment::asked, say("{} requests sent again", "요청 {}건 다시 보냄",
                                          burst.unanswered.size()));
    if (!burst.unanswered.empty()) {
        send(second, burst);
        take(second, burst, story.size, stage.timeline(), begun);
    }
    Round round;
    round.time = stage.timeline().elapsed() - begun;
    second.lane().note(Moment::accepted, say("all answered, {} replays",
                                             "모두 응답받음, 재응답 {}건", burst.replayed));
    second.ask("end");
    second.finish();
    round.accepted = burst.answered();
    round.figures = latencies(burst, round.time);
    return round;
}

/// The numbers of the requests in the order of their entries.
std::vector<std::int64_t> stored_order(const std::string& store) {
    Ledger ledger = Ledger::open(store);
    std::vector<std::int64_t> order;
    for (auto lines = ledger.lines(kept_account, 0, 1000); !lines.empty();
         lines = ledger.lines(kept_account, lines.back().seq, 1000)) {
        for (const Line& line : lines) {
            order.push_back(std::stoll(line.reason));
        }
    }
    return order;
}

Round by_queue(Stage& stage) {
    constexpr std::int64_t size = 10'000;
    Burst burst(size);
    Round round =
        burst_to_two(stage, {.role = "queue", .size = size, .killed_at = size / 2}, burst);
    const auto order = stored_order(stage.store_url());
    std::vector<std::int64_t> expected(static_cast<std::size_t>(size));
    for (std::size_t n = 0; n < expected.size(); ++n) {
        expected[n] = static_cast<std::int64_t>(n) + 1;
    }
    round.entries_sum = static_cast<std::int64_t>(order.size());
    if (order != expected) {
        round.failure = say("{} entries, or not in the order sent",
                            "항목 {}건, 또는 보낸 순서가 아님", order.size());
    }
    round.figures.push_back({{"replays", "재응답"}, burst.replayed});
    return round;
}

void create_tables(Stage& stage) {
    const auto session = stage.database().connect();
    create_plain_tables(*session);
    session->change("INSERT INTO account (id, balance, version) VALUES ('wallet', 0, 1)");
}

void judge_plain(Stage& stage, Round& round) {
    const auto session = stage.database().connect();
    round.balance = sum_of_balances(*session);
    round.entries_sum = sum_of_entries(*session);
    const std::int64_t more = *round.entries_sum - round.accepted;
    if (more != 0) {
        round.failure = more > 0
                            ? say("{} were done twice", "{}건이 두 번 처리됨", more)
                            : say("{} were accepted and are lost", "승인된 {}건을 잃음", -more);
    }
}

Round by_memory(Stage& stage, const std::string& answers) {
    constexpr std::int64_t size = 1'000;
    create_tables(stage);
    Burst burst(size);
    Round round =
        burst_to_two(stage,
                     {.role = "memory",
                      .size = size,
                      .words = {{"batch", "100"}, {"answers", answers}, {"stops_after", "4"}},
                      .killed_at = size},
                     burst);
    judge_plain(stage, round);
    return round;
}

Round by_rows(Stage& stage) {
    constexpr std::int64_t size = 400;
    create_tables(stage);
    Burst burst(size);
    Round round = burst_to_two(
        stage, {.role = "rows", .size = size, .words = {{"keys", "inside"}}, .killed_at = size / 2},
        burst);
    judge_plain(stage, round);
    return round;
}

}  // namespace

Experiment s15_queue_owner() {
    return {
        .id = "S15",
        .question = {"What becomes of a queue whose owner is killed?",
                     "주인이 강제 종료된 대기열은 어떻게 될까?"},
        .setting = {"A burst of grants of 1 on one account: 10,000 for Passbook, 1,000 for a queue "
                    "in memory, 400 for a transaction each. The process that owns the queue is "
                    "killed midway; another takes over, and what has no answer is sent again.",
                    "한 계좌에 1씩 적립이 몰린다: Passbook에 10,000건, 메모리 대기열에 1,000건, "
                    "건마다 트랜잭션에 400건. 대기열을 가진 프로세스가 도중에 강제 종료되고, 다른 "
                    "프로세스가 이어받으며, 응답이 없는 것은 다시 보낸다."},
        .expectation = {"A queue that answers on receipt loses what it accepted; without keys the "
                        "second owner does again what was committed and not answered. Passbook "
                        "keeps the order, loses none, does none twice, and is the fastest.",
                        "받자마자 응답하는 대기열은 승인한 것을 잃는다. 키가 없으면 둘째 주인은 "
                        "커밋됐지만 응답 못 한 것을 또 한다. Passbook은 순서를 지키고, 하나도 잃지 "
                        "않고, 두 번 하지 않으며, 가장 빠르다."},
        .ways = {{.name = "answer_on_receipt",
                  .promise = Promise::unsafe,
                  .how = {"accepted when queued in memory, written later",
                          "메모리에 넣고 승인, 나중에 쓴다"},
                  .play =
                      [](Stage& stage) {
                          return by_memory(stage, "receipt");
                      }},
                 {.name = "resend_without_key",
                  .promise = Promise::unsafe,
                  .how = {"accepted when committed; entries have no key",
                          "커밋하고 승인; 항목에 키가 없다"},
                  .play =
                      [](Stage& stage) {
                          return by_memory(stage, "commit");
                      }},
                 {.name = "one_by_one",
                  .promise = Promise::guarded,
                  .how = {"a transaction for each, with its key",
                          "건마다 트랜잭션 하나, 키와 함께"},
                  .play = by_rows},
                 {.name = "queue",
                  .promise = Promise::guarded,
                  .how = {"Passbook: a queue per account, many in one commit",
                          "Passbook: 계좌마다 대기열, 여럿을 커밋 한 번에"},
                  .play = by_queue}},
        .rounds = 1,
        .compare =
            [](const std::vector<Round>& rounds) {
                const auto rate = [](const Round& round) {
                    return round.figures.at(0).value;
                };
                return rate(rounds.at(3)) > rate(rounds.at(2))
                           ? Text()
                           : Text("the queue is not faster than a transaction for each",
                                  "대기열이 건마다 트랜잭션보다 빠르지 않음");
            },
        .roles = {{"queue", keep_by_queue}, {"memory", keep_by_memory}, {"rows", keep_by_rows}},
        .is_measured = true};
}

}  // namespace passbook::lab
