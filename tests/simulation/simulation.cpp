// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/simulation.h"

#include <fmt/format.h>
#include <chrono>
#include <memory>
#include <thread>

#include "base/assert.h"
#include "base/clock.h"
#include "base/id.h"
#include "lock/local/local_lock.h"
#include "store/memory/memory_store.h"
#include "tests/simulation/client.h"
#include "tests/simulation/faulty_service.h"
#include "tests/simulation/faulty_store.h"
#include "tests/simulation/scheduler.h"
#include "tests/simulation/world.h"

namespace passbook::simulation {
namespace {

using lock::Millis;

constexpr int sites = 2;
constexpr int clients = 3;
constexpr int actions = 16;
constexpr std::int64_t hour_micros = 3'600'000'000;
constexpr writer::LaneLimits limits{
    .queue_max = 1, .batch_max = 3, .retry_for = std::chrono::milliseconds(300)};
constexpr lock::Settings lock_settings{.ttl = Millis(1'000),
                                       .margin = Millis(100),
                                       .io_timeout = Millis(200),
                                       .hold_max = Millis(3'000),
                                       .poll_max = Millis(300)};

class Run {
public:
    Run(Scheduler& run, Mode mode)
        : run_(run),
          mode_(mode),
          store_(clock_),
          service_(lock::local::open()),
          keys_(*service_, weather_),
          world_(run, store_, keys_, weather_) {}

    void play() {
        open_accounts();
        std::thread nemesis([this] { disturb(); });
        std::vector<std::thread> servers;
        for (int number = 1; number <= sites; ++number) {
            servers.emplace_back([this, number] { serve(number); });
        }
        for (std::thread& server : servers) {
            server.join();
        }
        weather_.heal();
        nemesis.join();
        let_holds_fall_due();
        world_.dump();
        world_.judge(mode_ == Mode::liveness);
    }

    [[nodiscard]] Outcome outcome() const {
        return {world_.wrongs(), weather_.met(), run_.trace()};
    }

private:
    /// In fair weather, by one who writes alone.
    void write(const Wish& wish) {
        const std::uint32_t call = world_.sent(wish);
        const auto writer = store_.writer();
        ledger::State state = writer->begin({ledger::need_of(wish.request.command)});
        ledger::Changes changes;
        const ledger::Answer answer = decide(state, wish.request, changes);
        writer->commit(changes);
        world_.replied(call);
        world_.answered(call, answer);
    }

    void grant(const AccountId& account, Amount amount, const std::string& key) {
        auto request = ledger::prepare(
            {.action = ledger::Grant{account, amount, {}}, .key = Key::trusted(key)});
        PASSBOOK_ASSERT(request.has_value());
        write({*request, lab::checker::Op::grant, account, {{account, amount, {}}}, {}});
    }

    void open_accounts() {
        for (int number = 0; number < accounts; ++number) {
            grant(account_id(number), 50, "opening");
        }
    }

    /// One server, from its start to its end.
    void serve(int number) {
        run_.enter(number);
        FaultyStore store(store_, weather_);
        writer::Counters counters;
        writer::Lanes lanes(store, 2, limits, counters, [] {});
        lock::Locks locks(std::make_unique<FaultyService>(keys_), lock_settings,
                          [this](const auto& keys) { return keys_.mint(keys); });
        Site site{lanes, locks};
        std::vector<std::thread> threads;
        for (int client = 0; client < clients; ++client) {
            threads.emplace_back([this, &site, number, client] {
                Client one(world_, site, number * clients + client);
                one.play(actions);
                if (mode_ == Mode::liveness) {
                    await_fair_weather();
                    one.settle();
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        if (mode_ == Mode::liveness) {
            take_every_key(locks);
        }
        lanes.stop();
        if (lanes.depth() != 0 || counters.guards_fired.value() != 0) {
            world_.wrong(fmt::format("server {}: {} left in queues, {} guards fired", number,
                                     lanes.depth(), counters.guards_fired.value()));
        }
    }

    void await_fair_weather() {
        while (!weather_.healed()) {
            run_.sleep(100 * millis);
        }
    }

    /// Whoever held it last, and however it ended.
    void take_every_key(lock::Locks& locks) {
        for (const char* key : {"key-0", "key-1"}) {
            const auto answer = locks.acquire({.keys = {key}, .wait = Millis(20'000)});
            if (answer.result != lock::Acquired::acquired) {
                world_.wrong(fmt::format("{} cannot be had: {} {}", key, name_of(answer.result),
                                         answer.why));
            }
        }
    }

    /// Changes the weather, stops servers, sets the time of day, wipes the lock service.
    void disturb() {
        Chance& chance = run_.chance();
        const Nanos until = run_.now() + static_cast<Nanos>(chance.between(2, 8)) * seconds;
        while (!weather_.healed() && (mode_ == Mode::safety || run_.now() < until)) {
            run_.sleep(chance.below(600 * millis));
            weather_.change(chance);
            if (chance.of_thousand(80)) {
                weather_.count("server: stands still");
                const auto server = static_cast<Process>(chance.between(1, sites));
                run_.stand_still(server, chance.below(3 * seconds));
            }
            if (chance.of_thousand(80)) {
                weather_.count("clock: set");
                run_.step_wall(chance.between(-5'000'000, 5'000'000));
            }
            if (chance.of_thousand(20)) {
                keys_.forget_all();
            }
            if (chance.of_thousand(100)) {
                world_.dump();
            }
        }
        weather_.heal();
    }

    /// A due hold blocks nothing: who touches the account next releases it.
    void let_holds_fall_due() {
        run_.step_wall(hour_micros);
        const auto reader = store_.reader();
        for (int number = 0; number < accounts; ++number) {
            grant(account_id(number), 1, "ending");
            if (reader->account(account_id(number))->account.held != 0) {
                world_.wrong(fmt::format("{} still holds what is due", account_id(number).text()));
            }
        }
    }

    Scheduler& run_;
    const Mode mode_;
    const SystemClock clock_;
    Weather weather_;
    store::memory::MemoryStore store_;
    const std::unique_ptr<lock::Service> service_;
    Keys keys_;
    World world_;
};

}  // namespace

Outcome simulate(std::uint64_t seed, Mode mode) {
    (void)shard_of("");  // the library behind it prepares itself, once for all runs
    Scheduler scheduler(seed);
    Outcome outcome;
    scheduler.run([&] {
        Run run(scheduler, mode);
        run.play();
        outcome = run.outcome();
    });
    return outcome;
}

}  // namespace passbook::simulation
