// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/labels.h"
#include "lab/proxy.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

using std::chrono::milliseconds;

const Words grant{{"amount", "100"}, {"ttl", "1200"}, {"hold_max", "1600"}};

/// Renews as the trade does: a thread with a link of its own that tries, and keeps to itself that
/// it failed.
class Watchdog {
public:
    explicit Watchdog(Self& self)
        : thread_([&self](const std::stop_token& stop) {
              try {
                  const auto lock = trade_lock(self.word("redis"), self.word("plain tables"));
                  const milliseconds ttl(self.number("ttl"));
                  while (!stop.stop_requested()) {
                      std::this_thread::sleep_for(ttl / 3);
                      if (!stop.stop_requested() && lock->renew(wallet_key, ttl)) {
                          self.note(Moment::noted, {"renewed the lock", "락을 갱신함"});
                      }
                  }
              } catch (const std::exception&) {
                  self.note(Moment::noted, {"log: renewal failed", "로그: 갱신 실패"});
              }
          }) {}

private:
    std::jthread thread_;
};

void blind_watchdog(Self& self) {
    TradeHeld lock(self, Release::compare_and_delete);
    self.note(Moment::asked, {"asks +100", "+100 요청"});
    if (!lock.acquire(wallet_key, std::chrono::seconds(30))) {
        throw std::runtime_error("no lock");
    }
    const std::int64_t balance = read_balance(self);
    const Watchdog watchdog(self);
    self.here("decided");
    self.report("accepted", write_over(self, lock, balance) ? 1 : 0);
    self.note(Moment::accepted, labels::accepted);
    self.here("written");
    try {
        self.report("release", lock.release());
    } catch (const std::exception&) {
        self.note(Moment::noted, {"log: release failed", "로그: 놓기 실패"});
        self.report("release", "unknown");
    }
}

/// Works until it is told that the lock is lost, and then writes nothing.
void listen(Self& self) {
    OurHeld lock(self, milliseconds(self.number("hold_max")));
    self.note(Moment::asked, {"asks +100", "+100 요청"});
    if (!lock.acquire(wallet_key, std::chrono::seconds(30))) {
        throw std::runtime_error("no lock");
    }
    (void)read_balance(self);
    self.here("decided");
    const std::stop_token lost = lock.guard().stop_token();
    std::uint64_t renewed = 0;
    while (!lost.stop_requested()) {
        std::this_thread::sleep_for(milliseconds(2));
        const auto& renewals = lock.locks().counters().renewals;
        if (const auto now = renewals.at(static_cast<std::size_t>(lock::Renewed::renewed)).value();
            now > renewed) {
            renewed = now;
            self.note(Moment::noted,
                      say("renewed {}", "갱신 {}", lock.guard().token().shortened()));
        }
    }
    const auto told = std::chrono::steady_clock::now().time_since_epoch();
    self.note(Moment::noted, say("told: {}", "통보: {}",
                                 name_of(lock.guard().lost().value_or(lock::Loss::shutdown))));
    self.note(Moment::refused, {"stops, writes nothing", "멈추고, 아무것도 쓰지 않음"});
    self.report("told_at", told.count());
    self.report("reason", std::string(name_of(lock.guard().lost().value_or(lock::Loss::shutdown))));
    self.report("renewals", static_cast<std::int64_t>(renewed));
    self.report("accepted", 0);
    self.here("told");  // Whatever else ends its hold comes later.
}

void deaf(Self& self) {
    OurHeld lock(self, milliseconds(self.number("hold_max")));
    work_under(self, lock, write_over);
}

void whole_work(Self& self) {
    OurHeld lock(self);
    work_under(self, lock, write_over);
}

void judge_grants(Stage& stage, Round& round) {
    read_held_wallet(stage, round);
    if (round.balance != round.entries_sum) {
        round.failure = {"the late write went over B's", "늦은 쓰기가 B의 것을 덮음"};
    }
}

/// The holder goes on beyond its lock, whatever it was told.
Round goes_on(Stage& stage, const char* role, Watch::Of lock) {
    create_held_wallet(stage, lock == Watch::Of::our_lock);
    Round round = tell(
        stage,
        {.experiment = "S7", .role = role, .lock = lock, .words = grant, .fate = Fate::works_on});
    judge_grants(stage, round);
    return round;
}

/// The link between A and Redis falls silent while A works.
Round cut_off(Stage& stage, const char* role) {
    create_held_wallet(stage, true);
    Proxy proxy(endpoint_of(stage.redis()));
    const std::string through = at_port(stage.redis(), proxy.port());
    Round round = tell(stage, {.experiment = "S7",
                               .role = role,
                               .lock = Watch::Of::trade_lock,
                               .words = grant,
                               .of_a = {{"redis", through}},
                               .fate = Fate::works_on,
                               .then = [&] {
                                   std::this_thread::sleep_for(milliseconds(400));
                                   proxy.set(Proxy::Mode::silent);
                               }});
    judge_grants(stage, round);
    return round;
}

/// A is told in time, B gets in after that, and A has written nothing.
Round is_told(Stage& stage, const Words& of_a, const std::function<void()>& then,
              std::string_view reason) {
    create_held_wallet(stage, true);
    Watch watch(stage, Watch::Of::our_lock);
    Words words = of_a;
    words.insert(grant.begin(), grant.end());
    const auto begun = stage.timeline().elapsed();
    Process a(stage, "S7", "listen", verbatim("A"), words);
    a.await("decided");
    a.go();
    then();
    watch.await_expiry(a.lane());
    const auto expired = std::chrono::steady_clock::now().time_since_epoch();
    a.await("told");
    Process b(stage, "S7", "whole_work", verbatim("B"), grant);
    b.await("decided");
    b.go();
    b.await("written");
    b.go();
    b.finish();
    a.go();
    const Words report = a.finish();
    Round round{.accepted = 1, .refused = 1, .time = stage.timeline().elapsed() - begun};
    judge_grants(stage, round);
    const std::chrono::nanoseconds early =
        expired - std::chrono::nanoseconds(number(report, "told_at"));
    round.figures = {
        {{"early ms", "앞선 ms"}, std::chrono::duration_cast<milliseconds>(early).count()},
        {{"renewals", "갱신"}, number(report, "renewals")}};
    if (early.count() < 0) {
        round.failure = {"A was told when its lock had expired already",
                         "A가 락이 이미 만료된 뒤에 통보받음"};
    } else if (report.at("reason") != reason || number(report, "renewals") == 0) {
        round.surprise =
            say("A was told {} behind {} renewals", "A가 갱신 {1}번 뒤에 {0} 통보를 받음",
                report.at("reason"), number(report, "renewals"));
    }
    return round;
}

Round told_of_cut(Stage& stage) {
    Proxy proxy(endpoint_of(stage.redis()));
    return is_told(
        stage, {{"lock service", at_port(stage.redis(), proxy.port())}, {"hold_max", "60000"}},
        [&] {
            std::this_thread::sleep_for(milliseconds(400));
            proxy.set(Proxy::Mode::silent);
        },
        "unreachable");
}

}  // namespace

Experiment s7_renewal() {
    return {
        .id = "S7",
        .question = {"What if a lock cannot be renewed any more?", "락을 더는 갱신할 수 없다면?"},
        .setting = {"Balance 5,000, two grants of 100 under a lock with a TTL of 1.2 s. A reads "
                    "and works on for longer. Its lock is not renewed; or its link to Redis falls "
                    "silent; or it is at its longest hold, 1.6 s. B gets the lock and grants.",
                    "잔액 5,000, TTL 1.2초인 락 아래 100씩 적립 두 번. A는 읽고 그보다 오래 "
                    "일한다. 락이 갱신되지 않거나, Redis와의 연결이 조용해지거나, 가장 오래 쥘 수 "
                    "있는 1.6초에 이른다. B가 락을 얻어 적립한다."},
        .expectation = {"A holder that is told of nothing, or does not listen, writes over B's "
                        "grant. Passbook's holder is told before its lock expires, and stops.",
                        "아무것도 통보받지 못하거나 듣지 않는 보유자는 B의 적립을 덮어쓴다. "
                        "Passbook의 보유자는 락이 만료되기 전에 통보받고 멈춘다."},
        .ways = {{.name = "no_renewal",
                  .promise = Promise::unsafe,
                  .how = {"the work takes longer than the TTL", "일이 TTL보다 오래 걸린다"},
                  .play =
                      [](Stage& stage) {
                          return goes_on(stage, "no_renewal", Watch::Of::trade_lock);
                      }},
                 {.name = "blind_watchdog",
                  .promise = Promise::unsafe,
                  .how = {"renewed by a thread that logs its failures; link cut",
                          "실패를 로그에만 남기는 스레드가 갱신; 연결 끊김"},
                  .play = [](Stage& stage) { return cut_off(stage, "blind_watchdog"); },
                  .needs_redis = true},
                 {.name = "deaf",
                  .promise = Promise::unsafe,
                  .how = {"Passbook's lock; the holder looks at nothing",
                          "Passbook의 락; 보유자는 아무것도 보지 않는다"},
                  .play =
                      [](Stage& stage) {
                          return goes_on(stage, "deaf", Watch::Of::our_lock);
                      }},
                 {.name = "longest_hold",
                  .promise = Promise::guarded,
                  .how = {"held as long as may be; the holder is told",
                          "쥘 수 있는 만큼 쥔다; 보유자는 통보받는다"},
                  .play =
                      [](Stage& stage) {
                          return is_told(stage, {}, [] {}, "expired");
                      }},
                 {.name = "cut_off",
                  .promise = Promise::guarded,
                  .how = {"link cut; the holder is told", "연결 끊김; 보유자는 통보받는다"},
                  .play = told_of_cut,
                  .needs_redis = true}},
        .rounds = 1,
        .roles = {{"no_renewal",
                   [](Self& self) {
                       TradeHeld lock(self, Release::compare_and_delete);
                       work_under(self, lock, write_over);
                   }},
                  {"blind_watchdog", blind_watchdog},
                  {"deaf", deaf},
                  {"listen", listen},
                  {"whole_work", whole_work}},
        .has_locks = true};
}

}  // namespace passbook::lab
