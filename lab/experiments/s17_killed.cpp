// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <memory>

#include "lab/catalogue.h"
#include "lab/keeper.h"
#include "lab/plain_tables.h"

namespace passbook::lab {
namespace {

struct Story {
    std::string role;
    std::string failpoint;
    Words words = {};
    int kills = 50;
};

/// What a client of a keeper that is killed again and again has sent.
struct Sent {
    std::int64_t requests = 0;
    std::int64_t kills = 0;
    std::int64_t replays = 0;
    std::vector<std::int64_t> seqs;  ///< As each request was answered.
};

/// The failpoint kills at the second to fourth pass: so each process does something first, such as
/// what its predecessor was killed in.
std::unique_ptr<Process> keeper(Stage& stage, const Story& story, std::int64_t number) {
    auto process = std::make_unique<Process>(
        stage, "S17", story.role, say("keeper {}", "담당 {}", number + 1), story.words,
        std::vector<std::string>{
            fmt::format("PASSBOOK_FAILPOINTS={}=kill@{}", story.failpoint, 2 + number % 3)});
    process->await("ready");
    process->go();
    return process;
}

Kept ask_until_answered(std::unique_ptr<Process>& process, Stage& stage, const Story& story,
                        Sent& sent, const std::string& request) {
    for (;;) {
        if (process == nullptr) {
            process = keeper(stage, story, sent.kills);
        }
        process->ask(request);
        if (const auto answer = kept(process->answer())) {
            return *answer;
        }
        process->kill();
        process.reset();
        ++sent.kills;
    }
}

Sent send_through_kills(Stage& stage, const Story& story) {
    Sent sent;
    std::unique_ptr<Process> process;
    while (sent.kills < story.kills) {
        const std::int64_t number = ++sent.requests;
        const Kept answer = ask_until_answered(process, stage, story, sent,
                                               asked_for(fmt::format("key-{}", number), 1, number));
        sent.replays += answer.is_replayed ? 1 : 0;
        sent.seqs.push_back(answer.seq);
    }
    return sent;
}

/// Every key, asked of a keeper that nobody kills: nothing where each gives the answer that its
/// client has.
Text resolved(Stage& stage, const Story& story, const Sent& sent) {
    Process process(stage, "S17", story.role, Text("healthy", "멀쩡한 담당"), story.words);
    process.await("ready");
    process.go();
    Text wrong;
    for (std::int64_t number = 1; number <= sent.requests; ++number) {
        process.ask(asked_for(fmt::format("key-{}", number), 1, number));
        const auto answer = kept(process.answer());
        if (!answer || !answer->is_replayed ||
            answer->seq != sent.seqs.at(static_cast<std::size_t>(number - 1))) {
            wrong = say("key-{} is not known any more", "key-{}을 더는 모름", number);
        }
    }
    process.ask("end");
    process.finish();
    return wrong;
}

Round summed_up(const Sent& sent, std::chrono::nanoseconds time) {
    Round round{.accepted = sent.requests, .time = time};
    round.figures = {{{"kills", "강제 종료"}, sent.kills}, {{"replays", "재응답"}, sent.replays}};
    return round;
}

Round on_rows(Stage& stage, const Story& story) {
    const auto session = stage.database().connect();
    create_plain_tables(*session);
    session->change("CREATE TABLE done (idempotency_key VARCHAR(128) PRIMARY KEY)");
    session->change("INSERT INTO account (id, balance, version) VALUES ('wallet', 0, 1)");
    const auto begun = stage.timeline().elapsed();
    const Sent sent = send_through_kills(stage, story);
    Round round = summed_up(sent, stage.timeline().elapsed() - begun);
    round.balance = sum_of_balances(*session);
    round.entries_sum = sum_of_entries(*session);
    if (round.entries_sum != sent.requests) {
        round.failure = say("{} grants for {} requests", "요청 {1}건에 적립 {0}건",
                            *round.entries_sum, sent.requests);
    }
    return round;
}

/// Passbook's failpoints are named by the database.
std::string_view failpoint_prefix(Kind kind) {
    switch (kind) {
        case Kind::sqlite:
            return "sqlite";
        case Kind::postgres:
            return "postgres";
        case Kind::mariadb:
            return "mariadb";
    }
    return "";
}

Round on_passbook(Stage& stage, Story story) {
    story.role = "queue";
    story.failpoint = fmt::format("{}_{}", failpoint_prefix(stage.kind()), story.failpoint);
    {
        // Making the store passes failpoints too, so that it is made apart.
        Process process(stage, "S17", story.role, Text("maker", "만드는 쪽"));
        process.await("ready");
        process.go();
        process.ask("end");
        process.finish();
    }
    const auto begun = stage.timeline().elapsed();
    const Sent sent = send_through_kills(stage, story);
    Round round = summed_up(sent, stage.timeline().elapsed() - begun);
    const auto shell = stage.store_shell();
    round.entries_sum = shell->row("SELECT coalesce(sum(amount), 0) FROM entries").at(0);
    round.balance = shell->row("SELECT coalesce(sum(balance), 0) FROM balances").at(0);
    round.failure = resolved(stage, story, sent);
    if (round.entries_sum != sent.requests || round.balance != sent.requests) {
        round.failure = say("{} grants for {} requests", "요청 {1}건에 적립 {0}건",
                            *round.entries_sum, sent.requests);
    }
    return round;
}

}  // namespace

Experiment s17_killed() {
    const auto rows = [](const char* keys, const char* failpoint, int kills) {
        return [=](Stage& stage) {
            return on_rows(stage, {.role = "rows",
                                   .failpoint = failpoint,
                                   .words = {{"keys", keys}},
                                   .kills = kills});
        };
    };
    const auto passbook = [](const char* failpoint) {
        return [=](Stage& stage) {
            return on_passbook(stage, {.role = {}, .failpoint = failpoint});
        };
    };
    return {
        .id = "S17",
        .question = {"Killed before the commit, or after it: what does the client do?",
                     "커밋 전에 죽었든 뒤에 죽었든, 클라이언트는 어떻게 할까?"},
        .setting =
            {"Grants of 1, one after the other. The process is killed (SIGKILL) at a named place, "
             "again and again, 50 times for what is guarded; the client has no answer and sends "
             "the same key to the next process.",
             "1씩 적립이 차례로 온다. 프로세스를 정해 둔 곳에서 거듭 강제 종료한다(SIGKILL), "
             "안전한 방식은 50번. 클라이언트는 응답이 없으면 같은 키를 다음 프로세스에 보낸다."},
        .expectation = {"Without a key, or with one that is noted apart from its effect, a grant "
                        "is done twice. With the key in the same transaction each is done once, "
                        "and every key gives its answer.",
                        "키가 없거나 효과와 따로 적어 둔 키로는 적립이 두 번 된다. 키가 같은 "
                        "트랜잭션에 있으면 저마다 한 번 되고, 모든 키가 응답을 준다."},
        .ways = {{.name = "no_key",
                  .promise = Promise::unsafe,
                  .how = {"killed behind the commit; what comes is done",
                          "커밋 뒤에 강제 종료; 오는 대로 처리한다"},
                  .play = rows("none", "lab_before_answer", 5)},
                 {.name = "key_apart",
                  .promise = Promise::unsafe,
                  .how = {"killed between the effect and the note of its key",
                          "효과와 키 기록 사이에 강제 종료"},
                  .play = rows("apart", "lab_after_effect", 5)},
                 {.name = "key_inside",
                  .promise = Promise::guarded,
                  .how = {"killed behind the commit of effect and key",
                          "효과와 키를 커밋한 뒤에 강제 종료"},
                  .play = rows("inside", "lab_after_effect", 50)},
                 {.name = "before_commit",
                  .promise = Promise::guarded,
                  .how = {"Passbook, killed before the commit", "Passbook, 커밋 전에 강제 종료"},
                  .play = passbook("before_commit")},
                 {.name = "after_commit",
                  .promise = Promise::guarded,
                  .how = {"Passbook, killed behind the commit", "Passbook, 커밋 뒤에 강제 종료"},
                  .play = passbook("after_commit")}},
        .rounds = 1,
        .compare =
            [](const std::vector<Round>& rounds) {
                const auto replays = [](const Round& round) {
                    return round.figures.at(1).value;
                };
                // Else the kills would not have been where they are said to be.
                return replays(rounds.at(3)) == 0 && replays(rounds.at(4)) >= 50
                           ? Text()
                           : Text("keys were not found where they were to be",
                                  "키가 있어야 할 곳에 없음");
            },
        .roles = {{"rows", keep_by_rows}, {"queue", keep_by_queue}}};
}

}  // namespace passbook::lab
