// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/passbook_server.h"
#include "lab/proxy.h"

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

}  // namespace

Experiment l4_lost_answer() {
    return {.id = "L4",
            .question = {"The answer is lost behind the commit: what is asked again?",
                         "커밋 뒤에 응답을 잃었다. 무엇을 다시 물을까?"},
            .setting = {"`passbook serve`, and a client that asks for 20 grants of 100 over a link "
                        "that breaks before each first answer. What has no answer is asked again.",
                        "`passbook serve`에 클라이언트가 100 적립 20건을 청하는데, 첫 응답마다 "
                        "연결이 끊긴다. 응답이 없는 것은 다시 묻는다."},
            .expectation = {"Asked again under a new key, each is granted twice. Under the same "
                            "key the stored answer comes, byte for byte, and nothing moves.",
                            "새 키로 다시 물으면 저마다 두 번 적립된다. 같은 키로 물으면 저장된 "
                            "응답이 바이트 단위까지 그대로 오고, 아무것도 움직이지 않는다."},
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
                          }}},
            .rounds = 2};
}

}  // namespace passbook::lab
