// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <thread>

#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/labels.h"
#include "lab/passbook_server.h"
#include "lab/proxy.h"
#include "lab/redis_link.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

using std::chrono::milliseconds;

const Words spend{{"amount", "-3000"}, {"ttl", "2000"}};

// Holders -----------------------------------------------------------------------------------------

/// What a program does where it gets no answer from its lock service.
enum class Policy : std::uint8_t { go_on, refuse };

/// A lock that may not be there.
class Perhaps : public HeldLock {
public:
    Perhaps(Self& self, Policy policy) : self_(self), policy_(policy), lock_(self) {}

    bool acquire(const std::string& key, milliseconds wait) override {
        const auto begun = std::chrono::steady_clock::now();
        const bool is_ours = lock_.acquire(key, wait);
        const auto took = std::chrono::steady_clock::now() - begun;
        self_.report("asked_ms", std::chrono::duration_cast<milliseconds>(took).count());
        self_.report("result", std::string(name_of(lock_.result())));
        if (!is_ours && policy_ == Policy::go_on) {
            self_.note(Moment::noted, {"goes on without", "락 없이 계속함"});
        }
        return is_ours || policy_ == Policy::go_on;
    }
    std::string release() override {
        return "";
    }

private:
    Self& self_;
    Policy policy_;
    OurHeld lock_;
};

/// Both ask, both read, and only then they write: as it comes where no lock keeps them apart.
Round two_without(Stage& stage, const char* role, Proxy::Mode mode) {
    create_held_wallet(stage, true);
    Proxy service({.host = "127.0.0.1", .port = 0});
    service.set(mode);
    Words words = spend;
    words.emplace("lock service", fmt::format("redis://127.0.0.1:{}", service.port()));
    const auto begun = stage.timeline().elapsed();
    Process a(stage, "S18", role, verbatim("A"), words);
    Process b(stage, "S18", role, verbatim("B"), words);
    const bool goes_on = std::string_view(role) != "refuse";
    for (Process* each : {&a, &b}) {
        if (goes_on) {
            each->await("decided");
        }
    }
    for (Process* each : {&a, &b}) {
        if (goes_on) {
            each->go();
            each->await("written");
            each->go();
        }
    }
    const Words of_a = a.finish();
    const Words of_b = b.finish();
    Round round;
    round.time = stage.timeline().elapsed() - begun;
    round.accepted = number(of_a, "accepted") + number(of_b, "accepted");
    round.refused = 2 - round.accepted;
    round.figures = {{{"asked ms", "락 요청 ms"}, number(of_a, "asked_ms")}};
    read_held_wallet(stage, round);
    if (of_a.at("result") != "unavailable" || number(of_a, "asked_ms") > 10'000) {
        round.surprise = say("the lock said {} in {} ms", "락이 {1}ms 만에 {0}라고 함",
                             of_a.at("result"), number(of_a, "asked_ms"));
    }
    if (goes_on) {
        judge(round, 1, 2'000);
    } else {
        judge(round, 0, held_wallet_opening);
    }
    return round;
}

Round wiped(Stage& stage, const char* role, Watch::Of lock) {
    create_held_wallet(stage, true);
    Words words = spend;
    words.insert_or_assign("ttl", "20000");
    Round round = tell(
        stage,
        {.experiment = "S18", .role = role, .lock = lock, .words = words, .fate = Fate::wiped});
    read_held_wallet(stage, round);
    judge(round, 1, 2'000);
    return round;
}

// Passbook ----------------------------------------------------------------------------------------

/// A server and its lock service, and what was asked of both.
class Served {
public:
    Served(Stage& stage, const std::string& service)
        : server_(stage.store_url(), service),
          lane_(stage.timeline().lane(
              say("client of process {}", "프로세스 {}의 클라이언트", server_.id()))) {
        (void)move_over_http(server_.url(), wallet_key, 100, "opening");
    }

    /// Five spends of 10; the sixth and later ones of all are refused by the balance.
    void spend_some(Round& round, const Text& state) {
        for (int n = 0; n < 5; ++n) {
            const Told told =
                move_over_http(server_.url(), wallet_key, -10, fmt::format("key-{}", ++keys_));
            round.accepted += told.status == 201 ? 1 : 0;
            round.refused += told.status == 422 ? 1 : 0;
            if (told.status != 201 && told.status != 422) {
                round.failure = say("{}: a spend was answered {} {}", "{}: 사용의 응답이 {} {}",
                                    state, told.status, told.code);
            }
        }
        lane_.note(Moment::accepted,
                   say("{}: 5 spends are answered", "{}: 사용 5건에 응답함", state));
    }

    /// `wanted`: the status that a request for a lock must get.
    void ask_for_lock(Round& round, const Text& state, int wanted) {
        const Told told = post_over_http(server_.url(), "/v1/locks/job", R"({"ttl_ms":30000})");
        lane_.note(Moment::noted,
                   say("{}: lock {} {}", "{}: 락 {} {}", state, told.status, told.code));
        if (told.status != wanted) {
            round.surprise = say("{}: a lock was answered {} {}", "{}: 락의 응답이 {} {}", state,
                                 told.status, told.code);
        }
    }

    void finish(Round& round) {
        round.balance = balance_over_http(server_.url(), wallet_key);
        round.figures = {
            {{"unavailable", "이용 불가"},
             metric_over_http(server_.url(),
                              R"(passbook_lock_attempts_total{result="unavailable"})")}};
        if (round.balance != 100 - 10 * round.accepted || *round.balance < 0) {
            round.failure = say("balance {} behind {} spends", "사용 {1}건 뒤의 잔액이 {0}",
                                *round.balance, round.accepted);
        } else if (round.figures.at(0).value != 2) {
            round.failure = {"the metrics do not tell of two vain requests for a lock",
                             "지표에 헛된 락 요청 두 건이 나오지 않음"};
        }
    }

private:
    PassbookServer server_;
    Timeline::Lane& lane_;
    int keys_ = 0;
};

Round passbook_without(Stage& stage) {
    Proxy service({.host = "127.0.0.1", .port = 0});
    service.set(Proxy::Mode::silent);
    Round round;
    Served served(stage, fmt::format("redis://127.0.0.1:{}", service.port()));
    const auto begun = stage.timeline().elapsed();
    served.ask_for_lock(round, {"silent", "침묵"}, 503);
    served.spend_some(round, {"silent", "침묵"});
    service.set(Proxy::Mode::dead);
    served.ask_for_lock(round, {"dead", "죽음"}, 503);
    served.spend_some(round, {"dead", "죽음"});
    served.spend_some(round, {"dead", "죽음"});
    round.time = stage.timeline().elapsed() - begun;
    served.finish(round);
    return round;
}

Round passbook_throughout(Stage& stage) {
    Proxy link(endpoint_of(stage.redis()));
    Round round;
    Served served(stage, at_port(stage.redis(), link.port()));
    const auto begun = stage.timeline().elapsed();
    served.ask_for_lock(round, {"healthy", "멀쩡"}, 201);
    served.spend_some(round, {"healthy", "멀쩡"});
    link.set_delay(milliseconds(2'000));
    served.ask_for_lock(round, {"2 s late", "2초 지연"}, 503);
    served.spend_some(round, {"2 s late", "2초 지연"});
    link.set_delay(milliseconds(0));
    link.set(Proxy::Mode::dead);
    served.ask_for_lock(round, {"dead", "죽음"}, 503);
    served.spend_some(round, {"dead", "죽음"});
    link.set(Proxy::Mode::passing);
    std::this_thread::sleep_for(milliseconds(200));
    served.ask_for_lock(round, {"back", "복귀"}, 409);  // It is still held since it was healthy.
    RedisLink(stage.redis()).wipe();
    served.ask_for_lock(round, {"wiped", "지워짐"}, 201);
    round.time = stage.timeline().elapsed() - begun;
    served.finish(round);
    return round;
}

std::vector<Way> ways() {
    const auto without = [](const char* role, Proxy::Mode mode) {
        return [=](Stage& stage) {
            return two_without(stage, role, mode);
        };
    };
    return {{.name = "dead, go on",
             .promise = Promise::unsafe,
             .how = {"no lock to be had: work without, nothing else guards",
                     "락을 얻을 수 없다: 락 없이, 다른 가드도 없이"},
             .play = without("go_on", Proxy::Mode::dead)},
            {.name = "wiped, lock only",
             .promise = Promise::unsafe,
             .how = {"Redis forgets the key (FLUSHALL, eviction)",
                     "Redis가 키를 잊는다 (FLUSHALL, 축출)"},
             .play = [](Stage& stage) { return wiped(stage, "lock_only", Watch::Of::trade_lock); },
             .needs_redis = true},
            {.name = "dead, refuse",
             .promise = Promise::guarded,
             .how = {"no lock to be had: refuse the work", "락을 얻을 수 없다: 일을 거절한다"},
             .play = without("refuse", Proxy::Mode::dead)},
            {.name = "silent, refuse",
             .promise = Promise::guarded,
             .how = {"no answer in time: refuse the work", "제때 응답이 없다: 일을 거절한다"},
             .play = without("refuse", Proxy::Mode::silent)},
            {.name = "dead, atomic",
             .promise = Promise::guarded,
             .how = {"go on without; UPDATE … WHERE balance is enough",
                     "락 없이 계속; UPDATE … WHERE 잔액 충분"},
             .play = without("go_on_guarded", Proxy::Mode::dead)},
            {.name = "wiped, fence",
             .promise = Promise::guarded,
             .how = {"Redis forgets the key; the write carries a fence",
                     "Redis가 키를 잊는다; 쓰기에 펜스가 있다"},
             .play = [](Stage& stage) { return wiped(stage, "fence", Watch::Of::our_lock); },
             .needs_redis = true},
            {.name = "passbook",
             .promise = Promise::guarded,
             .how = {"spends over HTTP; the lock service silent, then dead",
                     "HTTP로 사용; 락 서비스가 침묵하다 죽는다"},
             .play = passbook_without},
            {.name = "passbook, throughout",
             .promise = Promise::guarded,
             .how = {"Redis healthy, 2 s late, dead, back, wiped",
                     "Redis가 멀쩡, 2초 지연, 죽음, 복귀, 지워짐"},
             .play = passbook_throughout,
             .needs_redis = true}};
}

}  // namespace

Experiment s18_dead_service() {
    return {.id = "S18",
            .question = {"What if the lock service is slow, dead, or forgets?",
                         "락 서비스가 느리거나, 죽거나, 잊는다면?"},
            .setting = {"Two processes spend 3,000 of 5,000 under a lock whose service is dead, "
                        "silent, or forgets its keys; and `passbook serve` with such a service. "
                        "What is done to it is done on a link and to keys of the lab's own.",
                        "프로세스 둘이 락 아래 5,000에서 3,000씩 쓰는데, 락 서비스가 죽었거나, "
                        "침묵하거나, 키를 잊는다. 그런 서비스를 쓰는 `passbook serve`도 있다. "
                        "손대는 것은 실험실 자신의 연결과 키뿐이다."},
            .expectation = {"Who goes on without a lock and without a guard overspends. Refused "
                            "work writes nothing; guarded work stays right. Passbook answers every "
                            "spend, and for locks 503 lock_unavailable, which its metrics count.",
                            "락도 가드도 없이 계속하면 초과해 쓴다. 거절한 일은 아무것도 쓰지 "
                            "않고, 가드가 있는 일은 여전히 맞다. Passbook은 모든 사용에 응답하고, "
                            "락에는 503 lock_unavailable로 답하며, 지표가 그것을 센다."},
            .ways = ways(),
            .rounds = 1,
            .roles = {{"go_on",
                       [](Self& self) {
                           Perhaps lock(self, Policy::go_on);
                           work_under(self, lock, write_over);
                       }},
                      {"go_on_guarded",
                       [](Self& self) {
                           Perhaps lock(self, Policy::go_on);
                           work_under(self, lock, write_if_enough);
                       }},
                      {"refuse",
                       [](Self& self) {
                           Perhaps lock(self, Policy::refuse);
                           work_under(self, lock, write_over);
                       }},
                      {"lock_only",
                       [](Self& self) {
                           TradeHeld lock(self, Release::compare_and_delete);
                           work_under(self, lock, write_over);
                       }},
                      {"fence",
                       [](Self& self) {
                           OurHeld lock(self);
                           work_under(self, lock, write_with_fence);
                       }}},
            .has_locks = true};
}

}  // namespace passbook::lab
