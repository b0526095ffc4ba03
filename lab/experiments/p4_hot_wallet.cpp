// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "lab/catalogue.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr std::size_t callers = 64;
constexpr std::chrono::seconds time_max{1};
constexpr std::chrono::milliseconds look_every{130};

constexpr Label waiting_label{"waiting", "기다림"};

using Clock = std::chrono::steady_clock;

/// The load: every caller adds 1 to one wallet after the other, for as long as the time allows.
/// Returns how long each of its requests took.
using Latencies = std::vector<std::int64_t>;  // Microseconds.

std::string wallet_name(std::size_t number) {
    return fmt::format("wallet-{}", number);
}

template <class Request>
Latencies load(std::size_t wallets, const Request& request) {
    std::vector<Latencies> by_caller(callers);
    together(callers, [&](std::size_t caller) {
        const auto end = Clock::now() + time_max;
        std::size_t n = 0;
        for (auto begun = Clock::now(); begun < end; ++n) {
            request(caller, n, wallet_name((caller + n * callers) * 31 % wallets));
            const auto done = Clock::now();
            by_caller[caller].push_back(
                std::chrono::duration_cast<std::chrono::microseconds>(done - begun).count());
            begun = done;
        }
    });
    Latencies all;
    for (const Latencies& each : by_caller) {
        all.insert(all.end(), each.begin(), each.end());
    }
    return all;
}

Round told(Latencies all, std::chrono::nanoseconds time) {
    std::sort(all.begin(), all.end());
    Round round;  // Its time is the setting's.
    round.accepted = static_cast<std::int64_t>(all.size());
    const std::int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    round.figures = {
        {labels::per_second, round.accepted * 1'000'000 / std::max<std::int64_t>(micros, 1)},
        {{"median us", "중앙값 us"}, all.at(all.size() / 2)},
        {verbatim("p99 us"), all.at(all.size() * 99 / 100)}};
    return round;
}

void judge_sum(Round& round, std::int64_t sum) {
    if (sum != round.accepted) {
        round.failure = say("{} accepted, balances add up to {}", "{}건 승인, 잔액을 더하면 {}",
                            round.accepted, sum);
    }
}

/// Looks, for as long as it is there, how many connections wait for a row that another has locked.
class Watch {
public:
    Watch(Database& database, Kind kind)
        : session_(database.connect()),
          count_(kind == Kind::postgres
                     ? "SELECT count(*) FROM pg_stat_activity "
                       "WHERE datname = current_database() AND wait_event_type = 'Lock'"
                     : "SELECT count(*) FROM information_schema.INNODB_TRX "
                       "WHERE trx_state = 'LOCK WAIT'"),
          thread_([this](const std::stop_token& stop) { look(stop); }) {}

    /// On average. Ends the looking.
    [[nodiscard]] std::int64_t waiting() {
        thread_.request_stop();
        thread_.join();
        if (error_) {
            std::rethrow_exception(error_);
        }
        const auto looks = static_cast<std::int64_t>(seen_.size());
        return std::accumulate(seen_.begin(), seen_.end(), std::int64_t{0}) /
               std::max<std::int64_t>(looks, 1);
    }

private:
    void look(const std::stop_token& stop) {
        try {
            for (std::this_thread::sleep_for(look_every); !stop.stop_requested();
                 std::this_thread::sleep_for(look_every)) {
                seen_.push_back(session_->row(count_).at(0));
            }
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    std::unique_ptr<Session> session_;
    const char* count_;
    std::vector<std::int64_t> seen_;
    std::exception_ptr error_;
    std::jthread thread_;
};

void add_one(Session& sql, const char* read, const std::string& wallet) {
    sql.begin();
    const std::int64_t balance = sql.row(read, {wallet}).at(0);
    sql.change("UPDATE account SET balance = ?1 WHERE id = ?2", {balance + 1, wallet});
    sql.commit();
}

Round on_plain_tables(Stage& stage, std::size_t wallets) {
    const auto sql = stage.database().connect();
    create_plain_tables(*sql);
    sql->begin();
    for (std::size_t n = 0; n < wallets; ++n) {
        sql->change("INSERT INTO account (id, balance, version) VALUES (?1, 0, 1)",
                    {wallet_name(n)});
    }
    sql->commit();
    std::vector<std::unique_ptr<Session>> sessions(callers);
    for (auto& session : sessions) {
        session = stage.database().connect();
    }
    const char* read = stage.kind() == Kind::sqlite
                           ? "SELECT balance FROM account WHERE id = ?1"
                           : "SELECT balance FROM account WHERE id = ?1 FOR UPDATE";
    std::unique_ptr<Watch> watch;
    if (stage.kind() != Kind::sqlite) {
        watch = std::make_unique<Watch>(stage.database(), stage.kind());
    }
    const auto begun = stage.timeline().elapsed();
    Latencies all = load(wallets, [&](std::size_t caller, std::size_t, const std::string& wallet) {
        add_one(*sessions[caller], read, wallet);
    });
    Round round = told(std::move(all), stage.timeline().elapsed() - begun);
    if (watch) {
        round.figures.push_back({waiting_label, watch->waiting()});
    }
    round.figures.push_back({{"connections", "연결"}, static_cast<std::int64_t>(callers)});
    judge_sum(round, sum_of_balances(*sql));
    return round;
}

Round on_passbook(Stage& stage, std::size_t wallets) {
    Ledger ledger = Ledger::open(stage.store_url());
    const auto begun = stage.timeline().elapsed();
    Latencies all = load(wallets, [&](std::size_t caller, std::size_t n, std::string wallet) {
        (void)ledger.grant(
            {.account = std::move(wallet), .amount = 1, .key = fmt::format("{}-{}", caller, n)});
    });
    Round round = told(std::move(all), stage.timeline().elapsed() - begun);
    round.figures.push_back({{"connections", "연결"}, 1});
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < wallets; ++n) {
        const auto account = ledger.account(wallet_name(n));
        sum += account ? account->balance : 0;
    }
    judge_sum(round, sum);
    return round;
}

std::optional<std::int64_t> waiting(const Round& round) {
    for (const Round::Figure& figure : round.figures) {
        if (figure.name == Text(waiting_label)) {
            return figure.value;
        }
    }
    return std::nullopt;
}

/// The row locks on one wallet and on many; SQLite does not tell who waits.
Text compare(const std::vector<Round>& rounds) {
    const auto one = waiting(rounds.at(0));
    const auto many = waiting(rounds.at(1));
    return !one || *one > 2 * *many + 10
               ? Text()
               : say("{} connections wait on one wallet, {} on many",
                     "지갑 하나에는 연결 {}개가, 여럿에는 {}개가 기다림", *one, *many);
}

}  // namespace

Experiment p4_hot_wallet() {
    const auto way = [](const std::string& name, Text how, std::size_t wallets, auto play,
                        std::vector<Absence> absences) {
        return Way{.name = fmt::format("{}, {}", name, wallets),
                   .promise = Promise::guarded,
                   .how = std::move(how),
                   .play = [play, wallets](Stage& stage) { return play(stage, wallets); },
                   .absences = std::move(absences)};
    };
    const std::vector<Absence> on_servers{
        {Kind::sqlite, {"it locks no rows", "행을 잠그지 못한다"}}};
    const std::vector<Absence> on_sqlite{
        {Kind::postgres, {"see `for_update`", "`for_update` 참고"}},
        {Kind::mariadb, {"see `for_update`", "`for_update` 참고"}}};
    std::vector<Way> ways;
    for (const std::size_t wallets : {1U, 1'000U}) {
        ways.push_back(way("for_update",
                           {"SELECT … FOR UPDATE, then write", "SELECT … FOR UPDATE 뒤에 쓴다"},
                           wallets, on_plain_tables, on_servers));
    }
    for (const std::size_t wallets : {1U, 1'000U}) {
        ways.push_back(way("immediate",
                           {"BEGIN IMMEDIATE, read, write", "BEGIN IMMEDIATE, 읽고 쓴다"}, wallets,
                           on_plain_tables, on_sqlite));
    }
    for (const std::size_t wallets : {1U, 1'000U}) {
        ways.push_back(
            way("queue",
                {"Passbook: many requests in one commit", "Passbook: 요청 여럿을 커밋 한 번에"},
                wallets, on_passbook, {}));
    }
    return {
        .id = "P4",
        .question = {"What does one hot wallet cost beside many?",
                     "몰리는 지갑 하나는 여럿에 견주어 얼마나 비쌀까?"},
        .setting =
            {"64 callers, each adding 1 after the other for a second: all to one wallet, and over "
             "1,000 wallets. `waiting`: connections that wait for a row, on average.",
             "호출자 64명이 1초 동안 저마다 1씩 거듭 더한다. 모두 지갑 하나에, 그리고 지갑 "
             "1,000개에. `기다림`은 행을 기다리는 연결의 평균 수다."},
        .expectation = {"Row locks queue on one wallet, with a connection held for each who waits, "
                        "and hardly on many. The queue needs one connection for either.",
                        "행 락은 지갑 하나에서 줄을 세우고, 기다리는 쪽마다 연결을 붙든다. 지갑이 "
                        "많으면 거의 그렇지 않다. 대기열은 어느 쪽이든 연결 하나면 된다."},
        .ways = std::move(ways),
        .rounds = 1,
        .compare = compare,
        .is_measured = true};
}

}  // namespace passbook::lab
