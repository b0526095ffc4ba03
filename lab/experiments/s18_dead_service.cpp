// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <thread>

#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/passbook_server.h"
#include "lab/proxy.h"
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
            self_.note(Moment::noted, "goes on without");
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
    Process a(stage, "S18", role, "A", words);
    Process b(stage, "S18", role, "B", words);
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
    round.figures = {{"asked ms", number(of_a, "asked_ms")}};
    read_held_wallet(stage, round);
    if (of_a.at("result") != "unavailable" || number(of_a, "asked_ms") > 10'000) {
        round.surprise =
            fmt::format("the lock said {} in {} ms", of_a.at("result"), number(of_a, "asked_ms"));
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
          lane_(stage.timeline().lane(fmt::format("client of process {}", server_.id()))) {
        (void)move_over_http(server_.url(), wallet_key, 100, "opening");
    }

    /// Five spends of 10; the sixth and later ones of all are refused by the balance.
    void spend_some(Round& round, const char* state) {
        for (int n = 0; n < 5; ++n) {
            const Told told =
                move_over_http(server_.url(), wallet_key, -10, fmt::format("key-{}", ++keys_));
            round.accepted += told.status == 201 ? 1 : 0;
            round.refused += told.status == 422 ? 1 : 0;
            if (told.status != 201 && told.status != 422) {
                round.failure =
                    fmt::format("{}: a spend was answered {} {}", state, told.status, told.code);
            }
        }
        lane_.note(Moment::accepted, fmt::format("{}: 5 spends are answered", state));
    }

    /// `wanted`: the status that a request for a lock must get.
    void ask_for_lock(Round& round, const char* state, int wanted) {
        const Told told = post_over_http(server_.url(), "/v1/locks/job", R"({"ttl_ms":30000})");
        lane_.note(Moment::noted, fmt::format("{}: lock {} {}", state, told.status, told.code));
        if (told.status != wanted) {
            round.surprise =
                fmt::format("{}: a lock was answered {} {}", state, told.status, told.code);
        }
    }

    void finish(Round& round) {
        round.balance = balance_over_http(server_.url(), wallet_key);
        round.figures = {
            {"unavailable",
             metric_over_http(server_.url(),
                              R"(passbook_lock_attempts_total{result="unavailable"})")}};
        if (round.balance != 100 - 10 * round.accepted || *round.balance < 0) {
            round.failure =
                fmt::format("balance {} behind {} spends", *round.balance, round.accepted);
        } else if (round.figures.at(0).value != 2) {
            round.failure = "the metrics do not tell of two vain requests for a lock";
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
    served.ask_for_lock(round, "silent", 503);
    served.spend_some(round, "silent");
    service.set(Proxy::Mode::dead);
    served.ask_for_lock(round, "dead", 503);
    served.spend_some(round, "dead");
    served.spend_some(round, "dead");
    round.time = stage.timeline().elapsed() - begun;
    served.finish(round);
    return round;
}

Round passbook_throughout(Stage& stage) {
    Proxy link(endpoint_of(stage.redis()));
    Round round;
    Served served(stage, redis_at_port(stage.redis(), link.port()));
    const auto begun = stage.timeline().elapsed();
    served.ask_for_lock(round, "healthy", 201);
    served.spend_some(round, "healthy");
    link.set_delay(milliseconds(2'000));
    served.ask_for_lock(round, "2 s late", 503);
    served.spend_some(round, "2 s late");
    link.set_delay(milliseconds(0));
    link.set(Proxy::Mode::dead);
    served.ask_for_lock(round, "dead", 503);
    served.spend_some(round, "dead");
    link.set(Proxy::Mode::passing);
    std::this_thread::sleep_for(milliseconds(200));
    served.ask_for_lock(round, "back", 409);  // It is still held since it was healthy.
    RedisLink(stage.redis()).wipe();
    served.ask_for_lock(round, "wiped", 201);
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
             .how = "no lock to be had: work without, nothing else guards",
             .play = without("go_on", Proxy::Mode::dead)},
            {.name = "wiped, lock only",
             .promise = Promise::unsafe,
             .how = "Redis forgets the key (FLUSHALL, eviction)",
             .play = [](Stage& stage) { return wiped(stage, "lock_only", Watch::Of::trade_lock); },
             .needs_redis = true},
            {.name = "dead, refuse",
             .promise = Promise::guarded,
             .how = "no lock to be had: refuse the work",
             .play = without("refuse", Proxy::Mode::dead)},
            {.name = "silent, refuse",
             .promise = Promise::guarded,
             .how = "no answer in time: refuse the work",
             .play = without("refuse", Proxy::Mode::silent)},
            {.name = "dead, atomic",
             .promise = Promise::guarded,
             .how = "go on without; UPDATE … WHERE balance is enough",
             .play = without("go_on_guarded", Proxy::Mode::dead)},
            {.name = "wiped, fence",
             .promise = Promise::guarded,
             .how = "Redis forgets the key; the write carries a fence",
             .play = [](Stage& stage) { return wiped(stage, "fence", Watch::Of::our_lock); },
             .needs_redis = true},
            {.name = "passbook",
             .promise = Promise::guarded,
             .how = "spends over HTTP; the lock service silent, then dead",
             .play = passbook_without},
            {.name = "passbook, throughout",
             .promise = Promise::guarded,
             .how = "Redis healthy, 2 s late, dead, back, wiped",
             .play = passbook_throughout,
             .needs_redis = true}};
}

}  // namespace

Experiment s18_dead_service() {
    return {
        .id = "S18",
        .question = "What if the lock service is slow, dead, or forgets?",
        .setting =
            "Two processes spend 3,000 of 5,000 under a lock whose service is dead, silent, or "
            "forgets its keys; and `passbook serve` with such a service. What is done to it is "
            "done "
            "on a link and to keys of the lab's own.",
        .expectation =
            "Who goes on without a lock and without a guard overspends. Refused work writes "
            "nothing; guarded work stays right. Passbook answers every spend, and for locks 503 "
            "lock_unavailable, which its metrics count.",
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
