// SPDX-License-Identifier: Apache-2.0
#include "http/metrics.h"
#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/passbook_server.h"
#include "lab/redis_link.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// A number that Redis counts, as the trade mints fences.
class RedisNumber : public TradeHeld {
public:
    explicit RedisNumber(Self& self)
        : TradeHeld(self, Release::compare_and_delete), self_(self), redis_(self.word("redis")) {}

    bool acquire(const std::string& key, std::chrono::milliseconds wait) override {
        const bool is_ours = TradeHeld::acquire(key, wait);
        number_ = redis_.ask({"INCR", redis_.name_of("number")}).number;
        redis_.ask({"PEXPIRE", redis_.name_of("number"), "60000"});
        self_.note(Moment::noted, say("INCR gives fence {}", "INCR로 받은 펜스 {}", number_));
        return is_ours;
    }
    [[nodiscard]] std::int64_t fence() const override {
        return number_;
    }

private:
    Self& self_;
    RedisLink redis_;
    std::int64_t number_ = 0;
};

/// Writes under the fence, and where that comes too late counts it, as a program of ours does; then
/// reports what its metrics say of it.
void write_and_count(Self& self) {
    OurHeld lock(self);
    work_under(self, lock, [](Self& writer, HeldLock& held, std::int64_t read) {
        if (write_with_fence(writer, held, read)) {
            return true;
        }
        auto& ours = dynamic_cast<OurHeld&>(held);
        ours.locks().note_stale_write(wallet_key, ours.fence());
        return false;
    });
    const engine::Engine engine({.store = self.word("store")});
    self.report("counted", metric_in(http::metrics_text(http::HttpMetrics(), engine, &lock.locks()),
                                     "passbook_stale_writes_rejected_total"));
}

Round played(Stage& stage, const char* role, Watch::Of lock, Fate fate) {
    create_held_wallet(stage, lock == Watch::Of::our_lock);
    Words of_a;
    Round round = tell(stage,
                       {.experiment = "L8",
                        .role = role,
                        .lock = lock,
                        .words = {{"amount", "100"}, {"ttl", "800"}},
                        .of_a = fate == Fate::wiped ? Words{{"ttl", "30000"}} : Words{},
                        .fate = fate},
                       &of_a);
    read_held_wallet(stage, round);
    if (round.balance != round.entries_sum) {
        round.failure = {"the late write went over B's", "늦은 쓰기가 B의 것을 덮음"};
    }
    if (of_a.contains("counted")) {
        round.figures.push_back({{"counted", "센 수"}, number(of_a, "counted")});
        if (round.accepted != 1 || number(of_a, "counted") != 1) {
            round.failure = {"the late write was not refused and counted once",
                             "늦은 쓰기가 한 번 거절되고 세어지지 않음"};
        }
    }
    return round;
}

}  // namespace

Experiment l8_fence() {
    const auto by = [](const char* role, Watch::Of lock, Fate fate) {
        return [=](Stage& stage) {
            return played(stage, role, lock, fate);
        };
    };
    return {
        .id = "L8",
        .question = {"Who refuses the holder that comes late?", "늦게 온 보유자는 누가 거절할까?"},
        .setting =
            {"Balance 5,000, two grants of 100 under a lock. A reads, and loses the lock: it is "
             "stopped beyond its TTL, or Redis forgets all keys. B grants. Then A writes.",
             "잔액 5,000, 락 아래 100씩 적립 두 번. A는 읽고 락을 잃는다: TTL을 넘겨 멈춰 있거나, "
             "Redis가 모든 키를 잊는다. B가 적립한다. 그다음 A가 쓴다."},
        .expectation =
            {"A token tells the lock service who holds a key, and the database nothing; a number "
             "counted in Redis begins anew when Redis forgets. A fence minted in the database is "
             "lower than B's: A is refused, and passbook_stale_writes_rejected_total says 1.",
             "토큰은 락 서비스에 누가 쥐고 있는지 말해 줄 뿐 데이터베이스에는 아무 말도 하지 "
             "않는다. Redis가 세는 번호는 Redis가 잊으면 처음부터다. 데이터베이스가 발급한 펜스는 "
             "B의 것보다 낮다: A는 거절되고, passbook_stale_writes_rejected_total은 1이다."},
        .ways = {{.name = "token_only",
                  .promise = Promise::unsafe,
                  .how = {"a random token, and no number in the write",
                          "무작위 토큰, 쓰기에는 번호가 없다"},
                  .play = by("token_only", Watch::Of::trade_lock, Fate::stands_still)},
                 {.name = "redis_number",
                  .promise = Promise::unsafe,
                  .how = {"INCR in Redis, which forgets; WHERE fence <= it",
                          "Redis의 INCR, Redis는 잊는다; WHERE 펜스 <= 그 값"},
                  .play = by("redis_number", Watch::Of::trade_lock, Fate::wiped),
                  .needs_redis = true},
                 {.name = "fence",
                  .promise = Promise::guarded,
                  .how = {"minted in the database; WHERE fence is no later one",
                          "데이터베이스가 발급; WHERE 더 늦은 펜스가 없음"},
                  .play = by("fence", Watch::Of::our_lock, Fate::stands_still)},
                 {.name = "fence, wiped",
                  .promise = Promise::guarded,
                  .how = {"the same, when Redis forgets", "똑같이, Redis가 잊을 때"},
                  .play = by("fence", Watch::Of::our_lock, Fate::wiped),
                  .needs_redis = true}},
        .rounds = 1,
        .roles = {{"token_only",
                   [](Self& self) {
                       TradeHeld lock(self, Release::compare_and_delete);
                       work_under(self, lock, write_over);
                   }},
                  {"redis_number",
                   [](Self& self) {
                       RedisNumber lock(self);
                       work_under(self, lock, write_with_fence);
                   }},
                  {"fence", write_and_count}},
        .has_locks = true};
}

}  // namespace passbook::lab
