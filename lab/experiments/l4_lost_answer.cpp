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
        lane.note(Moment::asked, fmt::format("asks {:+} ({})", amount, key));
        Told told = move_over_http(url, account, amount, key);
        if (told.status != 0) {
            lane.note(Moment::accepted,
                      fmt::format("{}{}", told.status, told.replayed ? ", replayed" : ""));
            return told;
        }
        lane.note(Moment::noted, "no answer");
    }
}

/// The same key once more, past the proxy: nothing where the answer is the same, byte for byte.
std::string other_answer(const std::string& url, std::int64_t number, const Told& before) {
    const Told told = move_over_http(url, account, amount, fmt::format("key-{}", number));
    if (told.replayed && told.status == before.status && told.body == before.body) {
        return "";
    }
    return fmt::format("key-{} is answered {} {}", number, told.status, told.body);
}

Round reply_cut(Stage& stage, Again again) {
    const PassbookServer server(stage.store_url());
    Proxy proxy({.host = "127.0.0.1", .port = server.port()});
    Timeline::Lane& lane = stage.timeline().lane("client");
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
    round.figures = {{"cut", proxy.cuts()}};
    if (round.balance != requests * amount) {
        round.failure =
            fmt::format("{} granted where {} were asked", *round.balance, requests * amount);
    }
    if (proxy.cuts() != requests) {
        round.surprise = fmt::format("{} answers were cut", proxy.cuts());
    }
    return round;
}

}  // namespace

Experiment l4_lost_answer() {
    return {.id = "L4",
            .question = "The answer is lost behind the commit: what is asked again?",
            .setting =
                "`passbook serve`, and a client that asks for 20 grants of 100 over a link that "
                "breaks before each first answer. What has no answer is asked again.",
            .expectation =
                "Asked again under a new key, each is granted twice. Under the same key the stored "
                "answer comes, byte for byte, and nothing moves.",
            .ways = {{.name = "new_key",
                      .promise = Promise::unsafe,
                      .how = "each attempt has a key of its own",
                      .play =
                          [](Stage& stage) {
                              return reply_cut(stage, Again::new_key);
                          }},
                     {.name = "same_key",
                      .promise = Promise::guarded,
                      .how = "each attempt has the key of the request",
                      .play =
                          [](Stage& stage) {
                              return reply_cut(stage, Again::same_key);
                          }}},
            .rounds = 2};
}

}  // namespace passbook::lab
