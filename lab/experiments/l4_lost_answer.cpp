// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/endpoint.h"
#include "lab/passbook_server.h"
#include "lab/plain_tables.h"
#include "lab/proxy.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

constexpr std::int64_t requests = 20;
constexpr std::int64_t amount = 100;
constexpr const char* account = "wallet";

enum class Again : std::uint8_t { same_key, new_key };

/// One request, sent until it is answered. The proxy cuts the first answer to it.
Told send(Proxy& proxy, Timeline::Lane& lane, std::int64_t number, Again again) {
    const std::string url = fmt::format("http://127.0.0.1:{}", proxy.port());
    proxy.cut_answers_to("POST ", 1);
    for (int attempt = 1;; ++attempt) {
        const std::string key = again == Again::same_key
                                    ? fmt::format("key-{}", number)
                                    : fmt::format("key-{}-{}", number, attempt);
        lane.note(Moment::asked, say("asks {:+} ({})", "{:+} 요청 ({})", amount, key));
        Told told = move_over_http(url, account, amount, key);
        if (told.status != 0) {
            lane.note(Moment::accepted,
                      say("{}{}", "{}{}", told.status,
                          told.replayed ? Text(", replayed", ", 재응답") : Text()));
            return told;
        }
        lane.note(Moment::noted, {"no answer", "응답 없음"});
    }
}

/// The same key once more, past the proxy: nothing where the answer is the same, byte for byte.
Text other_answer(const std::string& url, std::int64_t number, const Told& before) {
    const Told told = move_over_http(url, account, amount, fmt::format("key-{}", number));
    if (told.replayed && told.status == before.status && told.body == before.body) {
        return {};
    }
    return say("key-{} is answered {} {}", "key-{}의 응답이 {} {}", number, told.status, told.body);
}

Round reply_cut(Stage& stage, Again again) {
    const PassbookServer server(stage.store_url());
    Proxy proxy({.host = "127.0.0.1", .port = server.port()});
    Timeline::Lane& lane = stage.timeline().lane({"client", "클라이언트"});
    Round round;
    const auto begun = stage.timeline().elapsed();
    for (std::int64_t number = 1; number <= requests; ++number) {
        const Told told = send(proxy, lane, number, again);
        round.accepted += told.status == 201 ? 1 : 0;
        if (again == Again::same_key && round.surprise.empty()) {
            round.surprise = other_answer(server.url(), number, told);
        }
    }
    round.time = stage.timeline().elapsed() - begun;
    round.balance = balance_over_http(server.url(), account);
    round.figures = {{{"cut", "끊김"}, proxy.cuts()}};
    if (round.balance != requests * amount) {
        round.failure = say("{} granted where {} were asked", "{1} 적립을 청했는데 {0} 적립됨",
                            *round.balance, requests * amount);
    }
    if (proxy.cuts() != requests) {
        round.surprise = say("{} answers were cut", "응답 {}건이 끊김", proxy.cuts());
    }
    return round;
}

// Between the server and its database -------------------------------------------------------------

/// As its bytes go over the link: the end of a message of PostgreSQL, a whole packet of MariaDB.
std::string commit_of(Kind kind) {
    return kind == Kind::postgres ? std::string("COMMIT\0", 7)
                                  : std::string("\7\0\0\0\3COMMIT", 11);
}

/// Passbook names a statement that it has prepared; this is in the message that runs it, and not
/// in that which prepares it.
std::string commit_of_passbook(Kind kind) {
    return kind == Kind::postgres ? std::string("\0commit\0", 8) : commit_of(kind);
}

/// The link to the database breaks behind the COMMIT that is to come, before the answer to it.
std::string cut_at(Proxy& proxy, const std::string& url) {
    std::string through = at_port(url, proxy.port());
    if (url.starts_with("postgres") && url.find("sslmode=") == std::string::npos) {
        through += fmt::format("{}sslmode=disable", url.find('?') == std::string::npos ? '?' : '&');
    }
    return through;  // Else a server that has a certificate is asked for a link nobody can read.
}

void judge_cuts(Round& round, const Proxy& proxy) {
    round.figures = {{{"cut", "끊김"}, proxy.cuts()}};
    if (round.entries_sum != requests * amount || round.balance != requests * amount) {
        round.failure = say("{} granted where {} were asked", "{1} 적립을 청했는데 {0} 적립됨",
                            *round.entries_sum, requests * amount);
    }
    if (proxy.cuts() != requests) {
        round.surprise =
            say("{} answers to COMMIT were cut; is the link to the database encrypted?",
                "COMMIT의 응답 {}건이 끊김. 데이터베이스 연결이 암호화되어 있나?", proxy.cuts());
    }
}

/// An error is an error, so all is done again, on a new connection.
void grant_again(const std::string& url, Timeline::Lane& lane, std::int64_t number) {
    constexpr int attempts_max = 2;
    for (int attempt = 1;; ++attempt) {
        Actor actor(session_at(url), lane, nullptr);
        const Ask ask{.key = fmt::format("key-{}-{}", number, attempt), .amount = amount};
        actor.begin();
        actor.sql().change("UPDATE account SET balance = balance + ?1 WHERE id = 'wallet'",
                           {amount});
        actor.enter(ask);
        try {
            return actor.commit();
        } catch (const std::runtime_error&) {
            lane.note(Moment::noted, {"COMMIT: the link broke", "COMMIT: 연결이 끊김"});
            if (attempt == attempts_max) {
                throw;
            }
        }
    }
}

Round commit_cut(Stage& stage) {
    const auto session = stage.database().connect();
    create_plain_tables(*session);
    session->change("INSERT INTO account (id, balance, version) VALUES ('wallet', 0, 1)");
    const std::string direct = stage.database().url();
    Proxy proxy(endpoint_of(direct));
    const std::string url = cut_at(proxy, direct);
    Timeline::Lane& lane = stage.timeline().lane({"program", "프로그램"});
    Round round{.accepted = requests};
    const auto begun = stage.timeline().elapsed();
    for (std::int64_t number = 1; number <= requests; ++number) {
        proxy.cut_answers_to(commit_of(stage.kind()), 1);
        grant_again(url, lane, number);
    }
    round.time = stage.timeline().elapsed() - begun;
    round.balance = sum_of_balances(*session);
    round.entries_sum = sum_of_entries(*session);
    judge_cuts(round, proxy);
    return round;
}

/// Asked again only while the answer is that the outcome is unknown.
Told grant_over_http(const PassbookServer& server, Timeline::Lane& lane, std::int64_t number) {
    constexpr int attempts_max = 10;
    const std::string key = fmt::format("key-{}", number);
    Told told;
    for (int attempt = 1; attempt <= attempts_max && told.status != 201; ++attempt) {
        lane.note(Moment::asked, say("asks {:+} ({})", "{:+} 요청 ({})", amount, key));
        told = move_over_http(server.url(), account, amount, key);
        lane.note(Moment::accepted, say("{}{}", "{}{}", told.status,
                                        told.replayed ? Text(", replayed", ", 재응답") : Text()));
    }
    return told;
}

Round commit_cut_of_passbook(Stage& stage) {
    const std::string store = stage.store_url();
    Proxy proxy(endpoint_of(store));
    const PassbookServer server(cut_at(proxy, store));
    Timeline::Lane& lane = stage.timeline().lane({"client", "클라이언트"});
    Round round;
    Text other;
    const auto begun = stage.timeline().elapsed();
    for (std::int64_t number = 1; number <= requests; ++number) {
        proxy.cut_answers_to(commit_of_passbook(stage.kind()), 1);
        const Told told = grant_over_http(server, lane, number);
        round.accepted += told.status == 201 ? 1 : 0;
        other = other.empty() ? other_answer(server.url(), number, told) : other;
    }
    round.time = stage.timeline().elapsed() - begun;
    round.balance = balance_over_http(server.url(), account);
    round.entries_sum =
        stage.store_shell()->row("SELECT coalesce(sum(amount), 0) FROM entries").at(0);
    judge_cuts(round, proxy);
    round.failure = round.failure.empty() ? other : round.failure;
    return round;
}

Way over_a_link(Way way) {
    way.absences = {{Kind::sqlite,
                     {"its COMMIT is a call in the process, over no link",
                      "COMMIT이 프로세스 안의 호출이라 끊길 연결이 없다"}}};
    return way;
}

}  // namespace

Experiment l4_lost_answer() {
    return {
        .id = "L4",
        .question = {"The answer is lost behind the commit: what is asked again?",
                     "커밋 뒤에 응답을 잃었다. 무엇을 다시 물을까?"},
        .setting = {"`passbook serve`, and a client that asks for 20 grants of 100 over a link "
                    "that breaks before each first answer. What has no answer is asked again. "
                    "Then the link between the database and who writes breaks instead, "
                    "before the answer to each COMMIT.",
                    "`passbook serve`에 클라이언트가 100 적립 20건을 청하는데, 첫 응답마다 "
                    "연결이 끊긴다. 응답이 없는 것은 다시 묻는다. 그다음에는 데이터베이스와 "
                    "쓰는 쪽 사이의 연결이 COMMIT의 응답마다 끊긴다."},
        .expectation = {"Asked again under a new key, each is granted twice. Under the same "
                        "key the stored answer comes, byte for byte, and nothing moves. A "
                        "program that takes a broken COMMIT for none grants twice, too; "
                        "Passbook finds out by the key what took effect, and answers once.",
                        "새 키로 다시 물으면 저마다 두 번 적립된다. 같은 키로 물으면 저장된 "
                        "응답이 바이트 단위까지 그대로 오고, 아무것도 움직이지 않는다. 끊긴 "
                        "COMMIT을 없던 일로 여기는 프로그램도 두 번 적립한다. Passbook은 무엇이 "
                        "반영됐는지 키로 알아내고 한 번 적립한다."},
        .ways = {{.name = "new_key",
                  .promise = Promise::unsafe,
                  .how = {"each attempt has a key of its own", "시도마다 새 키"},
                  .play =
                      [](Stage& stage) {
                          return reply_cut(stage, Again::new_key);
                      }},
                 {.name = "same_key",
                  .promise = Promise::guarded,
                  .how = {"each attempt has the key of the request", "시도마다 요청의 같은 키"},
                  .play =
                      [](Stage& stage) {
                          return reply_cut(stage, Again::same_key);
                      }},
                 over_a_link({.name = "commit_again",
                              .promise = Promise::unsafe,
                              .how = {"COMMIT breaks: the transaction again",
                                      "COMMIT이 끊기면 트랜잭션을 다시"},
                              .play = commit_cut}),
                 over_a_link({.name = "commit_settled",
                              .promise = Promise::guarded,
                              .how = {"Passbook: the key tells what took effect",
                                      "Passbook: 무엇이 반영됐는지 키로 안다"},
                              .play = commit_cut_of_passbook})},
        .rounds = 2};
}

}  // namespace passbook::lab
