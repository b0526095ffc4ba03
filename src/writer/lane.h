// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/store.h"
#include "writer/counters.h"
#include "writer/gate.h"
#include "writer/known.h"
#include "writer/reply.h"

/// A lane is one queue, one thread and one writing connection. While one batch commits the next
/// gathers: no timer and no added wait, a lonely request is a batch of one.

namespace passbook::writer {

struct LaneLimits {
    std::size_t queue_max = 32'768;  ///< Jobs waiting; beyond it submitting answers `busy`.
    std::size_t batch_max = 4'096;   ///< Jobs per transaction.
    std::chrono::milliseconds retry_for{8'000};  ///< One batch, from its first failure on.
};

/// What a lane does about a COMMIT whose outcome is unknown. `settle`: it runs the batch again
/// under the same keys, which finds out what took effect and does the rest. `end`: it takes no more
/// work, because nobody but the next start can tell.
enum class InDoubt { settle, end };

/// Whether a batch has its keys looked up before it is decided, or writes them as new and is run
/// again, with a look, where the database knows one of them.
enum class Keys { looked_up, guarded };

/// What one run of a batch answers, each job's in its place.
struct Decided {
    std::vector<ledger::Answer> answers;
    bool is_timed = true;  ///< False while only the database knows when the entries were recorded.
};

class Lane {
public:
    /// `ended` is called on the lane's thread, once, when an unknown outcome has ended the lane and
    /// everything in flight was answered.
    Lane(std::unique_ptr<store::Writer> writer, LaneLimits limits, InDoubt in_doubt, Keys keys,
         Counters& counters, std::function<void()> ended, const GateSettings& gate = {});
    ~Lane();

    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    /// Queues all jobs in the order given, or none. False means that the queue has no room for
    /// them; the jobs are then untouched. After `stop` or an unknown outcome they are answered
    /// `unavailable` at once. Any thread.
    [[nodiscard]] bool submit(std::vector<Job>& jobs);

    /// Answers what was accepted, then ends the thread. Idempotent.
    void stop();

    [[nodiscard]] std::size_t depth() const;

    /// Whether it takes no more work: stopped, or at an unknown outcome.
    [[nodiscard]] bool ended() const;

private:
    enum class Phase { running, stopping, in_doubt };

    void run();
    [[nodiscard]] std::vector<Job> next_batch();
    void rest_at_gate(std::unique_lock<std::mutex>& lock);
    void work(std::vector<Job> batch, Keys keys);
    [[nodiscard]] std::vector<ledger::Answer> transact_with_retries(std::vector<Job>& batch,
                                                                    Keys keys);
    [[nodiscard]] Keys keys_of_next_batch();
    void transact(std::vector<Job>& batch, Keys keys, Decided& run);
    [[nodiscard]] bool append(const std::vector<Job>& batch, Decided& run);
    void give_answers();
    void add_what_came(std::vector<Job>& batch, const ledger::State& state);
    [[nodiscard]] ledger::State begin(const std::vector<Job>& batch,
                                      const std::vector<ledger::Need>& needs);
    void confirm();
    void work_one_by_one(std::vector<Job> batch);
    void fail_all(std::vector<Job>& batch, FailureKind kind);
    void give_up(std::vector<Job>& batch);
    void reply(Job& job, Reply reply);

    const std::unique_ptr<store::Writer> writer_;
    const LaneLimits limits_;
    const InDoubt in_doubt_;
    const Keys keys_;
    Counters& counters_;
    const std::function<void()> ended_;
    const std::unique_ptr<Gate> gate_;  ///< Null where there is none.
    store::Sender* const sender_;       ///< Null where all that is decided on is locked.

    // Of the lane's thread.
    int wary_ = 0;  ///< So many batches still look their keys up.
    Known known_;
    std::vector<Job> done_;  ///< What is written; `answers_` are still to be given.
    std::vector<ledger::Answer> answers_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;
    Phase phase_ = Phase::running;
    std::thread thread_;
};

}  // namespace passbook::writer
