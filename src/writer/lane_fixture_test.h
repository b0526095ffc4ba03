// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/memory/memory_store.h"
#include "writer/lane.h"

/// A lane on a store in memory, whose batches a test composes.

namespace passbook::writer {

using ledger::Answer;
using ledger::Record;
using ledger::Rejection;
using store::memory::Fault;
using store::memory::MemoryStore;

inline const AccountId alice = AccountId::trusted("alice");
inline const AccountId bob = AccountId::trusted("bob");

inline ledger::Request request_of(ledger::Action action, const std::string& key) {
    auto request = ledger::prepare({.action = std::move(action), .key = Key::trusted(key)});
    EXPECT_TRUE(request.has_value());
    return *request;
}

/// A writer that waits at its first begin until it is let go, so that a test can fill the queue and
/// decide what meets in one batch.
class GatedWriter final : public store::Writer, public store::Sender {
public:
    GatedWriter(std::unique_ptr<store::Writer> writer, std::shared_future<void> gate, bool sends)
        : writer_(std::move(writer)), gate_(std::move(gate)), sends_(sends) {}

    ledger::State begin(const std::vector<ledger::Need>& needs) override {
        gate_.wait();
        asked.push_back(needs);
        ledger::State state = writer_->begin(needs);
        if (meanwhile) {
            std::exchange(meanwhile, nullptr)();
        }
        return state;
    }
    std::chrono::microseconds lock_wait() const noexcept override {
        return writer_->lock_wait();
    }
    void commit(const ledger::Changes& changes) override {
        ledger::Changes written = changes;
        if (spoil) {
            spoil(written);
        }
        writer_->commit(written);
    }
    void rollback() noexcept override {
        writer_->rollback();
    }
    void confirm() override {
        writer_->confirm();
    }
    store::Sender* sender() noexcept override {
        return sends_ ? this : nullptr;
    }
    std::uint64_t links() const noexcept override {
        return links_had;
    }
    void send(const ledger::State& state, const ledger::Changes& changes) override {
        writer_->sender()->send(state, changes);
        ++sent;
        if (meanwhile) {
            std::exchange(meanwhile, nullptr)();
        }
    }
    Instant settle() override {
        if (settling) {
            std::exchange(settling, nullptr)();
        }
        return writer_->sender()->settle();
    }

    std::function<void(ledger::Changes&)> spoil;
    /// Once, when the next begin has its locks or the next transaction was sent.
    std::function<void()> meanwhile;
    std::function<void()> settling;  ///< Once, before the next transaction is waited for.
    std::atomic<std::uint64_t> links_had = 1;

    // Of the lane's thread.
    std::vector<std::vector<ledger::Need>> asked;  ///< Of each begin.
    int sent = 0;

private:
    std::unique_ptr<store::Writer> writer_;
    std::shared_future<void> gate_;
    const bool sends_;
};

class LaneTest : public testing::Test {
protected:
    LaneTest() : clock(Instant{1'000'000}), store(clock) {}

    Lane& lane(LaneLimits limits = {}, std::function<void(ledger::Changes&)> spoil = {}) {
        auto writer =
            std::make_unique<GatedWriter>(store.writer(), gate.get_future().share(), sends);
        writer->spoil = std::move(spoil);
        writer_ = writer.get();
        lane_ = std::make_unique<Lane>(std::move(writer), limits, on_doubt, keys, counters,
                                       [this] { ++ended; });
        return *lane_;
    }

    std::future<Reply> submit(Lane& to, ledger::Action action, const std::string& key) {
        auto promise = std::make_shared<std::promise<Reply>>();
        std::vector<Job> jobs;
        jobs.push_back({request_of(std::move(action), key), [promise](Reply reply) {
                            promise->set_value(std::move(reply));
                        }});
        if (!to.submit(jobs)) {
            jobs[0].done(FailureKind::busy);
        }
        return promise->get_future();
    }

    static Answer answer_of(std::future<Reply>& reply) {
        return std::get<Answer>(reply.get());
    }
    static FailureKind failure_of(std::future<Reply>& reply) {
        return std::get<FailureKind>(reply.get());
    }

    std::optional<Amount> balance(const AccountId& id) {
        const auto view = store.reader()->account(id);
        return view ? std::optional(view->account.balance) : std::nullopt;
    }

    ManualClock clock;
    MemoryStore store;
    Counters counters;
    std::promise<void> gate;
    std::atomic<int> ended = 0;
    InDoubt on_doubt = InDoubt::end;
    Keys keys = Keys::looked_up;
    bool sends = false;  ///< Whether the lane's writer can.

    /// How many keys each begin has looked up; call it behind the answers.
    std::vector<std::size_t> keys_looked_up() {
        std::vector<std::size_t> found;
        for (const auto& needs : writer_->asked) {
            found.push_back(static_cast<std::size_t>(std::ranges::count_if(
                needs, [](const ledger::Need& need) { return need.key.has_value(); })));
        }
        return found;
    }

    GatedWriter* writer_ = nullptr;  ///< Of the lane.

private:
    std::unique_ptr<Lane> lane_;
};

/// On a store that several servers write to.
class SharedLaneTest : public LaneTest {
protected:
    SharedLaneTest() {
        on_doubt = InDoubt::settle;
        keys = Keys::guarded;
        gate.set_value();
    }
    /// A lane that has granted alice so much under the key k0.
    Lane& opened(Amount amount, std::function<void(ledger::Changes&)> spoil = {}) {
        Lane& lane = this->lane({}, std::move(spoil));
        auto granted = submit(lane, ledger::Grant{alice, amount, {}}, "k0");
        EXPECT_FALSE(answer_of(granted).replayed);
        return lane;
    }

    static constexpr LaneLimits hurried{.retry_for = std::chrono::milliseconds(60)};
};

}  // namespace passbook::writer
