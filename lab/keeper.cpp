// SPDX-License-Identifier: Apache-2.0
#include "lab/keeper.h"

#include <fmt/format.h>
#include <unistd.h>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/failpoint.h"
#include "engine/engine.h"
#include "lock/token.h"

namespace passbook::lab {
namespace {

struct Grant {
    std::string key;
    std::int64_t amount = 0;
    std::int64_t number = 0;
};

Grant grant_of(const std::string& line) {
    Grant grant;
    std::istringstream words(line);
    if (!(words >> grant.key >> grant.amount >> grant.number)) {
        throw std::runtime_error(fmt::format("no request: {}", line));
    }
    return grant;
}

std::string answer_of(const Grant& grant, bool is_replayed, std::int64_t seq) {
    return fmt::format("{} accepted {} {}", grant.key, is_replayed ? 1 : 0, seq);
}

ledger::Request request_of(const Grant& grant) {
    ledger::Command command{
        .action = ledger::Grant{*AccountId::parse(kept_account), grant.amount, {}},
        .key = Key::parse(grant.key),
        .reason = fmt::format("{}", grant.number)};
    auto request = ledger::prepare(std::move(command));
    if (!request) {
        throw std::runtime_error(request.error().detail);
    }
    return std::move(*request);
}

std::string answer_of(const Grant& grant, const writer::Reply& reply) {
    if (const auto* answer = std::get_if<ledger::Answer>(&reply)) {
        if (const auto* record = std::get_if<ledger::Record>(&answer->body)) {
            return answer_of(grant, answer->replayed, record->subject().seq);
        }
    }
    return fmt::format("{} refused 0 0", grant.key);
}

void add(Self& self, const Grant& grant) {
    self.sql().change("UPDATE account SET balance = balance + ?1 WHERE id = 'wallet'",
                      {grant.amount});
}

void enter(Self& self, const Grant& grant, const std::string& key) {
    self.sql().change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', ?1, ?2)",
        {key, grant.amount});
}

bool is_entered(Self& self, const Grant& grant) {
    return !self.sql()
                .row("SELECT 1 FROM entry WHERE account = 'wallet' AND idempotency_key = ?1",
                     {grant.key})
                .empty();
}

void write_one(Self& self, const Grant& grant, const std::string& keys) {
    self.begin();
    add(self, grant);
    // Where keys are kept elsewhere or nowhere, an entry has a number of its own.
    enter(self, grant, keys == "inside" ? grant.key : lock::Token::random().hex());
    self.commit();
    failpoint("lab_after_effect");
    if (keys == "apart") {
        self.sql().change("INSERT INTO done (idempotency_key) VALUES (?1)", {grant.key});
        self.note(Moment::entered, {"key noted", "키를 적어 둠"});
    }
}

/// What waits in memory for the one thread that writes.
class MemoryQueue {
public:
    explicit MemoryQueue(std::size_t batch) : batch_(batch) {}

    void put(Grant grant) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(grant));
        wake_.notify_one();
    }
    void end() {
        const std::lock_guard lock(mutex_);
        is_ended_ = true;
        wake_.notify_one();
    }
    /// Empty at the end.
    std::vector<Grant> next() {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return is_ended_ || waiting_.size() >= batch_; });
        std::vector<Grant> batch;
        while (!waiting_.empty() && batch.size() < batch_) {
            batch.push_back(std::move(waiting_.front()));
            waiting_.pop_front();
        }
        return batch;
    }

private:
    const std::size_t batch_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Grant> waiting_;  // guarded by mutex_
    bool is_ended_ = false;      // guarded by mutex_
};

void write_batch(Self& self, const std::vector<Grant>& batch, bool has_keys) {
    self.sql().begin();
    for (const Grant& grant : batch) {
        add(self, grant);
        enter(self, grant, has_keys ? grant.key : lock::Token::random().hex());
    }
    self.sql().commit();
}

bool is_done(Self& self, const Grant& grant, const std::string& keys) {
    if (keys == "inside") {
        return is_entered(self, grant);
    }
    return keys == "apart" &&
           !self.sql().row("SELECT 1 FROM done WHERE idempotency_key = ?1", {grant.key}).empty();
}

}  // namespace

std::string asked_for(std::string_view key, std::int64_t amount, std::int64_t number) {
    return fmt::format("{} {} {}", key, amount, number);
}

std::optional<Kept> kept(const std::optional<std::string>& answer) {
    if (!answer) {
        return std::nullopt;
    }
    Kept kept;
    std::string how;
    int is_replayed = 0;
    std::istringstream words(*answer);
    if (!(words >> kept.key >> how >> is_replayed >> kept.seq)) {
        throw std::runtime_error(fmt::format("no answer: {}", *answer));
    }
    kept.is_accepted = how == "accepted";
    kept.is_replayed = is_replayed != 0;
    return kept;
}

void keep_by_queue(Self& self) {
    engine::Engine engine({.store = self.word("store"), .in_doubt = [] {
                               _exit(3);
                           }});
    self.here("ready");
    for (auto line = self.asked(); line && line != "end"; line = self.asked()) {
        const Grant grant = grant_of(*line);
        engine.submit(request_of(grant), [&self, grant](const writer::Reply& reply) {
            self.say(answer_of(grant, reply));
        });
    }
    engine.stop();
}

void keep_by_rows(Self& self) {
    const std::string keys = self.word("keys");
    self.here("ready");
    for (auto line = self.asked(); line && line != "end"; line = self.asked()) {
        const Grant grant = grant_of(*line);
        self.note(Moment::asked, say("is asked for {}", "{} 요청을 받음", grant.key));
        const bool is_replay = is_done(self, grant, keys);
        if (!is_replay) {
            write_one(self, grant, keys);
        }
        failpoint("lab_before_answer");
        self.say(answer_of(grant, is_replay, 0));
        self.note(Moment::accepted, is_replay ? Text("answers: done before", "응답: 전에 끝난 일")
                                              : Text("answers", "응답"));
    }
}

void keep_by_memory(Self& self) {
    const bool answers_on_receipt = self.word("answers") == "receipt";
    MemoryQueue queue(static_cast<std::size_t>(self.number("batch")));
    self.here("ready");
    std::jthread writer([&] {
        std::int64_t batches = 0;
        for (auto batch = queue.next(); !batch.empty(); batch = queue.next()) {
            write_batch(self, batch, answers_on_receipt);
            if (++batches == self.number("stops_after")) {
                self.say("committed");
                pause();  // until it is killed
            }
            for (const Grant& grant : batch) {
                if (!answers_on_receipt) {
                    self.say(answer_of(grant, false, 0));
                }
            }
        }
    });
    for (auto line = self.asked(); line && line != "end"; line = self.asked()) {
        Grant grant = grant_of(*line);
        if (answers_on_receipt) {
            self.say(answer_of(grant, false, 0));
        }
        queue.put(std::move(grant));
    }
    queue.end();
}

}  // namespace passbook::lab
