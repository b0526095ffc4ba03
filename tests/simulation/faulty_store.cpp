// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/faulty_store.h"

#include <chrono>
#include <utility>

namespace passbook::simulation {
namespace {

constexpr Nanos statement_max = 2 * seconds;

class FaultyWriter final : public store::Writer, public store::Sender {
public:
    FaultyWriter(std::unique_ptr<store::Writer> inner, Weather& weather)
        : inner_(std::move(inner)), weather_(weather) {}

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        weather_.delay(statement_max);
        if (weather_.strikes("begin: conflict")) {
            throw Conflict("a deadlock", "simulated");
        }
        if (weather_.strikes("begin: unavailable")) {
            throw Failure(FailureKind::unavailable, "no connection");
        }
        ledger::State state = inner_->begin(needs);
        weather_.delay(statement_max);
        return state;
    }

    [[nodiscard]] std::chrono::microseconds lock_wait() const noexcept override {
        return inner_->lock_wait();
    }

    void commit(const ledger::Changes& changes) override {
        weather_.delay(statement_max);
        if (weather_.strikes("commit: conflict")) {
            inner_->rollback();
            throw Conflict("a serialization failure", "simulated");
        }
        if (weather_.strikes("commit: unavailable")) {
            inner_->rollback();
            throw Failure(FailureKind::unavailable, "the database was shut down");
        }
        if (weather_.strikes("commit: in doubt, not done")) {
            inner_->rollback();
            throw Failure(FailureKind::in_doubt, "the link broke");
        }
        inner_->commit(changes);
        weather_.delay(statement_max);
        if (weather_.strikes("commit: in doubt, done")) {
            throw Failure(FailureKind::in_doubt, "the link broke");
        }
    }

    void rollback() noexcept override {
        inner_->rollback();
    }

    void confirm() override {
        weather_.delay(statement_max);
        if (weather_.strikes("confirm: unavailable")) {
            throw Failure(FailureKind::unavailable, "no connection");
        }
        inner_->confirm();
    }

    [[nodiscard]] store::Sender* sender() noexcept override {
        return this;
    }
    [[nodiscard]] std::uint64_t links() const noexcept override {
        return inner_->sender()->links();
    }
    void send(const ledger::State& state, const ledger::Changes& changes) override {
        if (weather_.strikes("send: unavailable")) {
            throw Failure(FailureKind::unavailable, "no connection");
        }
        inner_->sender()->send(state, changes);
    }
    /// What is not done is never asked for again: in memory, to send is to note down.
    [[nodiscard]] Instant settle() override {
        weather_.delay(statement_max);
        if (weather_.strikes("settle: conflict")) {
            throw Conflict("a deadlock", "simulated");
        }
        if (weather_.strikes("settle: in doubt, not done")) {
            throw Failure(FailureKind::in_doubt, "the link broke");
        }
        const Instant time = inner_->sender()->settle();
        weather_.delay(statement_max);
        if (weather_.strikes("settle: in doubt, done")) {
            throw Failure(FailureKind::in_doubt, "the link broke");
        }
        return time;
    }

private:
    const std::unique_ptr<store::Writer> inner_;
    Weather& weather_;
};

}  // namespace

std::unique_ptr<store::Writer> FaultyStore::writer() {
    return std::make_unique<FaultyWriter>(inner_.writer(), weather_);
}

}  // namespace passbook::simulation
