// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/holders.h"
#include "lab/passbook_server.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

const Words spend{{"amount", "-3000"}, {"ttl", "3000"}};

Round on_plain_tables(Stage& stage, std::string_view role, Watch::Of lock) {
    create_held_wallet(stage, lock == Watch::Of::our_lock);
    Round round =
        tell(stage, {.experiment = "S4", .role = std::string(role), .lock = lock, .words = spend});
    read_held_wallet(stage, round);
    judge(round, 1, 2'000);
    if (!round.failure.empty() && (round.accepted != 2 || round.entries_sum != -1'000)) {
        round.surprise = fmt::format("{} accepted, entries sum to {}", round.accepted,
                                     round.entries_sum.value_or(0));
    }
    return round;
}

Round on_passbook(Stage& stage) {
    const PassbookServer server(stage.store_url());
    Words words = spend;
    words.emplace("server", server.url());
    if (move_over_http(server.url(), wallet_key, held_wallet_opening, "opening").status != 201) {
        return {.surprise = "the opening grant was not accepted"};
    }
    Round round = tell(stage, {.experiment = "S4", .role = "lock_and_passbook", .words = words});
    round.balance = balance_over_http(server.url(), wallet_key);
    if (round.accepted != 1 || round.balance != 2'000) {
        round.failure = fmt::format("{} accepted, balance {}", round.accepted, *round.balance);
    }
    return round;
}

/// As work_under, with a server that keeps the account.
void work_on_server(Self& self) {
    OurHeld lock(self);
    const std::string& server = self.word("server");
    const std::int64_t amount = self.number("amount");
    self.note(Moment::asked, fmt::format("asks {:+} (key {})", amount, self.word("name")));
    if (!lock.acquire(wallet_key, std::chrono::seconds(30))) {
        throw std::runtime_error("no lock");
    }
    self.note(Moment::read, fmt::format("reads balance {}", balance_over_http(server, wallet_key)));
    self.here("decided");
    const Told told = move_over_http(server, wallet_key, amount, "key-" + self.word("name"));
    const bool is_accepted = told.status == 201;
    self.note(is_accepted ? Moment::accepted : Moment::refused,
              is_accepted ? "201 accepted" : fmt::format("{} {}", told.status, told.code));
    self.here("written");
    self.report("release", lock.release());
    self.report("accepted", is_accepted ? 1 : 0);
}

}  // namespace

Experiment s4_time_out() {
    const auto plain = [](const char* role, Watch::Of lock) {
        return [=](Stage& stage) {
            return on_plain_tables(stage, role, lock);
        };
    };
    return {
        .id = "S4",
        .question = "Does a lock's time-out stop its holder?",
        .setting =
            "Balance 5,000; two processes spend 3,000 each under a lock with a TTL of 3 s. A "
            "reads, "
            "checks, and is stopped (SIGSTOP) for longer than that; B gets the lock and spends; A "
            "goes on.",
        .expectation =
            "Both believe to hold the lock. With the lock alone both spend: entries -1,000. The "
            "condition in the UPDATE, the fence, and Passbook each refuse A.",
        .ways = {{.name = "lock_only",
                  .promise = Promise::unsafe,
                  .how = "lock, read, check, write back; unlock",
                  .play = plain("lock_only", Watch::Of::trade_lock)},
                 {.name = "lock_and_atomic",
                  .promise = Promise::guarded,
                  .how = "lock, then UPDATE … WHERE balance is enough",
                  .play = plain("lock_and_atomic", Watch::Of::our_lock)},
                 {.name = "lock_and_fence",
                  .promise = Promise::guarded,
                  .how = "lock, then UPDATE … WHERE fence is no later one",
                  .play = plain("lock_and_fence", Watch::Of::our_lock)},
                 {.name = "lock_and_passbook",
                  .promise = Promise::guarded,
                  .how = "lock, then ask Passbook to spend",
                  .play = on_passbook}},
        .rounds = 1,
        .roles = {{"lock_only",
                   [](Self& self) {
                       TradeHeld lock(self, Release::compare_and_delete);
                       work_under(self, lock, write_over);
                   }},
                  {"lock_and_atomic",
                   [](Self& self) {
                       OurHeld lock(self);
                       work_under(self, lock, write_if_enough);
                   }},
                  {"lock_and_fence",
                   [](Self& self) {
                       OurHeld lock(self);
                       work_under(self, lock, write_with_fence);
                   }},
                  {"lock_and_passbook", work_on_server}},
        .has_locks = true};
}

}  // namespace passbook::lab
