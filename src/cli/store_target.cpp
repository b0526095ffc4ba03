// SPDX-License-Identifier: Apache-2.0
// Imports into a store of this process: rows go to the lanes in groups, many groups at a time, so
// that one group is read while another commits.
#include <fmt/format.h>
#include <condition_variable>
#include <vector>

#include "cli/import_target.h"
#include "cli/subcommand.h"

namespace passbook::cli {
namespace {

constexpr std::size_t group_size = 512;
/// Far below what a lane queues, so that `busy` is never an answer to our own haste.
constexpr std::size_t in_flight_max = 8 * 1024;

std::string reason_of(FailureKind kind) {
    if (kind == FailureKind::in_doubt) {
        return "the store did not say whether it wrote the last rows";
    }
    return fmt::format("the store failed ({})", name_of(kind));
}

class StoreTarget final : public ImportTarget {
public:
    explicit StoreTarget(const std::string& url) : engine_({.store = url}) {}

    ~StoreTarget() override {
        engine_.stop();  // answers every job, and the answers still come to this object
    }

    std::string describe() const override {
        return engine_.describe();
    }

    void open(const AccountId& account, const Opening& opening) override {
        ledger::PutAccount put{.account = account, .asset = opening.asset, .floor = opening.floor};
        put.if_absent = true;
        auto request = ledger::prepare({.action = std::move(put)});
        if (!request) {
            throw CannotRun(request.error().detail);
        }
        add({std::move(*request), [this, account](const writer::Reply& reply) {
                 const std::lock_guard lock(mutex_);
                 took_opening(account, reply);
                 answered();
             }});
    }

    void submit(ImportRow row) override {
        const auto answer = [this, line = row.line,
                             stated_balance = row.stated_balance](const writer::Reply& reply) {
            const std::lock_guard lock(mutex_);
            took_row(line, stated_balance, reply);
            answered();
        };
        add({std::move(row.request), answer});
    }

    void finish() override {
        send();
        std::unique_lock lock(mutex_);
        room_.wait(lock, [this] { return in_flight_ == 0; });
        stop_if_told();
    }

    Amount balance(const AccountId& account) override {
        const auto reader = engine_.reader();
        const auto view = reader->account(account);
        return view ? view->account.balance : 0;
    }

    ImportTally tally() const override {
        const std::lock_guard lock(mutex_);
        return tally_;
    }

private:
    void add(writer::Job job) {
        group_.push_back(std::move(job));
        if (group_.size() >= group_size) {
            send();
        }
    }

    void send() {
        if (group_.empty()) {
            return;
        }
        {
            std::unique_lock lock(mutex_);
            room_.wait(lock, [this] { return in_flight_ + group_.size() <= in_flight_max; });
            stop_if_told();
            in_flight_ += group_.size();
        }
        std::vector<writer::Job> group;
        group.swap(group_);
        group_.reserve(group_size);
        engine_.submit(std::move(group));
    }

    // All below with the mutex held.

    void answered() {
        --in_flight_;
        if (in_flight_ == 0 || in_flight_ + group_size == in_flight_max) {
            room_.notify_one();
        }
    }

    void took_opening(const AccountId& account, const writer::Reply& reply) {
        if (const auto* failure = std::get_if<FailureKind>(&reply)) {
            stop(reason_of(*failure));
            return;
        }
        const auto& body = std::get<ledger::Answer>(reply).body;
        if (const auto* rejection = std::get_if<ledger::Rejection>(&body)) {
            stop(fmt::format("account {} cannot be opened: {}", account.text(), rejection->detail));
        } else if (const auto* refusal = std::get_if<ledger::Refusal>(&body)) {
            stop(fmt::format("account {} cannot be opened: {}", account.text(), detail(*refusal)));
        }
    }

    void took_row(std::uint64_t line, const std::optional<Amount>& stated_balance,
                  const writer::Reply& reply) {
        if (const auto* failure = std::get_if<FailureKind>(&reply)) {
            stop(fmt::format("line {}: {}", line, reason_of(*failure)));
            return;
        }
        const auto& answer = std::get<ledger::Answer>(reply);
        if (const auto* record = std::get_if<ledger::Record>(&answer.body)) {
            count(tally_, stated_balance, {answer.replayed, record->subject().balance_after});
            return;
        }
        const auto* rejection = std::get_if<ledger::Rejection>(&answer.body);
        if (rejection != nullptr && rejection->code != Code::idempotency_key_reused) {
            stop(fmt::format("line {}: {}", line, rejection->detail));
            return;
        }
        count(tally_, stated_balance, {answer.replayed, {}});
    }

    /// The first reason is the one that is told.
    void stop(std::string reason) {
        if (!stopped_) {
            stopped_ = std::move(reason);
        }
    }

    void stop_if_told() const {
        if (stopped_) {
            throw CannotRun(fmt::format("{}; {}", *stopped_, run_again));
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable room_;
    std::size_t in_flight_ = 0;           // guarded by mutex_
    ImportTally tally_;                   // guarded by mutex_
    std::optional<std::string> stopped_;  // guarded by mutex_

    std::vector<writer::Job> group_;
    engine::Engine engine_;  // last: it goes first, and its answers need the rest
};

}  // namespace

std::unique_ptr<ImportTarget> import_into_store(const std::string& url) {
    return std::make_unique<StoreTarget>(url);
}

}  // namespace passbook::cli
