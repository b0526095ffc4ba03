// SPDX-License-Identifier: Apache-2.0
#include "writer/lane.h"

#include <spdlog/spdlog.h>
#include <algorithm>
#include <chrono>
#include <optional>

#include "base/assert.h"
#include "base/failpoint.h"
#include "base/stopwatch.h"
#include "base/wakes.h"
#include "writer/retry.h"

namespace passbook::writer {
namespace {

/// How many batches look their keys up behind one that had a used key in it: where requests are
/// repeated, a batch that is begun twice costs more than the look-ups.
constexpr int wary_batches = 64;

/// The database has recorded the entries of the answer at `time`, or at their own if that is later.
void record_at(Instant time, ledger::Answer& answer) {
    for (ledger::Entry& entry : std::get<ledger::Record>(answer.body).entries) {
        entry.recorded_at = std::max(entry.recorded_at, time);
    }
}

/// What runs whose COMMIT was in doubt had decided. Found again, unchanged, it is the effect of
/// this very request and no replay of an earlier one.
class Doubted {
public:
    void add(Decided run) {
        decided_.resize(std::max(decided_.size(), run.answers.size()));
        for (std::size_t i = 0; i < run.answers.size(); ++i) {
            if (!run.answers[i].replayed) {
                decided_[i] = One{std::move(run.answers[i]), run.is_timed};
            }
        }
    }

    void disclaim_replays(std::vector<ledger::Answer>& answers) const {
        for (std::size_t i = 0; i < decided_.size(); ++i) {
            if (decided_[i] && is_same(*decided_[i], answers[i])) {
                answers[i].replayed = false;
            }
        }
    }

private:
    struct One {
        ledger::Answer answer;
        bool is_timed = true;
    };

    static bool is_same(One decided, const ledger::Answer& found) {
        const auto* record = std::get_if<ledger::Record>(&found.body);
        if (!decided.is_timed && record != nullptr) {
            record_at(record->subject().recorded_at, decided.answer);
        }
        return decided.answer.body == found.body;
    }

    std::vector<std::optional<One>> decided_;
};

/// Nothing was done or found that an answer would acknowledge.
bool rejects(const ledger::Answer& answer) {
    return std::holds_alternative<ledger::Rejection>(answer.body);
}

Slots slots_of(const std::vector<Job>& batch) {
    Slots slots;
    for (const Job& job : batch) {
        slots.set(slot_of(job.request.shard));
    }
    return slots;
}

/// A clock that was set back makes less than nothing of a time.
std::uint64_t micros_of(std::chrono::microseconds time) {
    return static_cast<std::uint64_t>(std::max(time, std::chrono::microseconds(0)).count());
}

}  // namespace

Lane::Lane(std::unique_ptr<store::Writer> writer, LaneLimits limits, InDoubt in_doubt, Keys keys,
           Counters& counters, std::function<void()> ended, const GateSettings& gate)
    : writer_(std::move(writer)),
      limits_(limits),
      in_doubt_(in_doubt),
      keys_(keys),
      counters_(counters),
      ended_(std::move(ended)),
      gate_(gate.locks == nullptr ? nullptr : std::make_unique<Gate>(gate, counters)),
      sender_(gate_ == nullptr && keys == Keys::guarded ? writer_->sender() : nullptr),
      thread_([this] { run(); }) {}

Lane::~Lane() {
    stop();
}

bool Lane::submit(std::vector<Job>& jobs) {
    {
        const std::lock_guard lock(mutex_);
        if (phase_ == Phase::running) {
            if (queue_.size() + jobs.size() > limits_.queue_max) {
                return false;
            }
            std::move(jobs.begin(), jobs.end(), std::back_inserter(queue_));
            wake_.notify_one();
            return true;
        }
    }
    fail_all(jobs, FailureKind::unavailable);
    return true;
}

void Lane::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (phase_ == Phase::running) {
            phase_ = Phase::stopping;
        }
        wake_.notify_one();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::size_t Lane::depth() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

bool Lane::ended() const {
    const std::lock_guard lock(mutex_);
    return phase_ != Phase::running;
}

void Lane::run() {
    while (true) {
        std::vector<Job> batch = next_batch();
        if (batch.empty()) {
            return;
        }
        work(std::move(batch), keys_of_next_batch());
    }
}

/// Empty when the lane is to end.
std::vector<Job> Lane::next_batch() {
    if (depth() == 0) {
        give_answers();
    }
    std::unique_lock lock(mutex_);
    rest_at_gate(lock);
    wake_.wait(lock, [this] { return !queue_.empty() || phase_ != Phase::running; });
    const auto end =
        queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), limits_.batch_max));
    std::vector<Job> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    return batch;
}

/// Until there is work, or nothing is held any more.
void Lane::rest_at_gate(std::unique_lock<std::mutex>& lock) {
    while (gate_ != nullptr && gate_->holds() && !wake_.wait_for(lock, gate_->turn(), [this] {
        return !queue_.empty() || phase_ != Phase::running;
    })) {
        lock.unlock();  // the gate may ask the lock service
        gate_->rest();
        lock.lock();
    }
}

void Lane::work(std::vector<Job> batch, Keys keys) {
    try {
        answers_ = transact_with_retries(batch, keys);
        PASSBOOK_ASSERT(done_.empty());
        done_ = std::move(batch);
    } catch (const GuardFired& fired) {
        counters_.guards_fired.add();
        spdlog::error("a guard of the store fired on a batch of {}: {}", batch.size(),
                      fired.what());
        if (batch.size() == 1) {
            return fail_all(batch, FailureKind::broken);
        }
        work_one_by_one(std::move(batch));
    } catch (const Failure& failure) {
        spdlog::warn("a batch of {} failed, {}: {}", batch.size(), name_of(failure.kind()),
                     failure.what());
        if (failure.kind() == FailureKind::in_doubt && in_doubt_ == InDoubt::end) {
            return give_up(batch);
        }
        fail_all(batch, failure.kind());
    }
}

/// Never less than the whole transaction again: what it read is no longer true. Under the same keys
/// a run behind an unknown outcome finds what took effect, and does what did not.
/// A used key that was looked up is no news: it got past the decision, as what a guard finds does.
std::vector<ledger::Answer> Lane::transact_with_retries(std::vector<Job>& batch, Keys keys) {
    Retry retry(limits_.retry_for);
    Doubted doubted;
    while (true) {
        Decided run;
        try {
            transact(batch, keys, run);
            doubted.disclaim_replays(run.answers);
            return std::move(run.answers);
        } catch (const Failure& failure) {
            const bool is_used = dynamic_cast<const KeyUsed*>(&failure) != nullptr;
            if (is_used ? keys == Keys::guarded
                        : in_doubt_ == InDoubt::settle && retry.again(failure)) {
                counters_.retries.add(failure.native());
            } else if (retry.in_doubt()) {
                throw Failure(FailureKind::in_doubt, failure.what(), failure.native());
            } else if (is_used) {
                throw GuardFired(FailureKind::broken, failure.what(), failure.native());
            } else {
                throw;
            }
            if (failure.kind() == FailureKind::in_doubt) {
                doubted.add(std::move(run));
            }
        }
        if (keys == Keys::guarded) {
            wary_ = wary_batches;  // not every database says that a used key was the cause
        }
        keys = Keys::looked_up;
    }
}

/// Most keys are new, and the database has the last word on that anyway.
Keys Lane::keys_of_next_batch() {
    if (wary_ == 0) {
        return keys_;
    }
    --wary_;
    return Keys::looked_up;
}

/// One database transaction, from BEGIN to the end of COMMIT; `answers` are true once it returns.
/// Where nothing is to be written (all replays, say) nothing is committed either, and what was
/// found is confirmed in its place.
///
/// A batch whose keys are guarded takes in what has come while it waited for its locks, as far as
/// it is about the accounts that are locked. An answer that no row would back cannot be given
/// there: the key might stand for another.
void Lane::transact(std::vector<Job>& batch, Keys keys, Decided& run) {
    if (keys == Keys::guarded && append(batch, run)) {
        return;
    }
    give_answers();
    std::vector<ledger::Need> needs;
    needs.reserve(batch.size());
    for (const Job& job : batch) {
        needs.push_back(ledger::need_of(job.request.command));
        if (keys == Keys::guarded) {
            needs.back().key.reset();
        }
    }
    ledger::State state = begin(batch, needs);
    counters_.lock_wait_micros.add(micros_of(writer_->lock_wait()));
    if (keys == Keys::guarded) {
        add_what_came(batch, state);
    }

    ledger::Changes changes;
    std::vector<ledger::Answer>& answers = run.answers;
    answers.reserve(batch.size());
    for (const Job& job : batch) {
        answers.push_back(decide(state, job.request, changes));
    }

    if (keys == Keys::guarded && std::any_of(answers.begin(), answers.end(), rejects)) {
        writer_->rollback();
        throw KeyUsed("no row would back an answer whose key may be used");
    }
    const Stopwatch writing;
    if (changes.empty()) {
        writer_->rollback();
        if (!std::all_of(answers.begin(), answers.end(), rejects)) {
            confirm();
        }
    } else {
        writer_->commit(changes);
        counters_.commit_micros.add(micros_of(writing.passed()));
        counters_.batch_size.add(batch.size());
        if (sender_ != nullptr) {
            known_.learn(state, sender_->links());
        }
    }
}

/// One trip for all, where everything that is asked for follows from what is known: the database
/// holds it to what stands, and tells the time. Meanwhile the answers before go out. False, with
/// nothing sent, where it does not follow, or is not all answered by entries.
bool Lane::append(const std::vector<Job>& batch, Decided& run) {
    auto state = sender_ == nullptr ? std::nullopt : known_.recall(batch, sender_->links());
    if (!state) {
        return false;
    }
    ledger::Changes changes;
    Decided decided{.is_timed = false};
    decided.answers.reserve(batch.size());
    changes.entries.reserve(batch.size());
    state->outcomes.reserve(batch.size());
    for (const Job& job : batch) {
        decided.answers.push_back(decide(*state, job.request, changes));
        if (!std::holds_alternative<ledger::Record>(decided.answers.back().body)) {
            return false;
        }
    }
    run = std::move(decided);
    const Stopwatch writing;
    sender_->send(*state, changes);
    give_answers();
    const Instant time = sender_->settle();
    counters_.lock_wait_micros.add(micros_of(writer_->lock_wait()));
    counters_.commit_micros.add(micros_of(writing.passed()));
    counters_.batch_size.add(batch.size());
    for (ledger::Answer& answer : run.answers) {
        record_at(time, answer);
    }
    for (auto& [_, account] : state->accounts) {
        account.recorded_at = std::max(account.recorded_at, time);
    }
    known_.learn(*state, sender_->links());
    return true;
}

void Lane::give_answers() {
    const Wakes wakes;
    for (std::size_t i = 0; i < done_.size(); ++i) {
        reply(done_[i], std::move(answers_[i]));
    }
    done_.clear();
    answers_.clear();
}

/// In the order of the queue, up to the first that needs more than is there: none overtakes. An
/// account may be locked without its slot, where it is not the subject of what it was locked for.
void Lane::add_what_came(std::vector<Job>& batch, const ledger::State& state) {
    const Slots held = gate_ == nullptr ? Slots().set() : slots_of(batch);
    const std::lock_guard lock(mutex_);
    while (!queue_.empty() && batch.size() < limits_.batch_max &&
           held.test(slot_of(queue_.front().request.shard)) &&
           ledger::covers(state, ledger::need_of(queue_.front().request.command))) {
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
}

/// Behind the gate, where there is one.
ledger::State Lane::begin(const std::vector<Job>& batch, const std::vector<ledger::Need>& needs) {
    if (gate_ == nullptr) {
        return writer_->begin(needs);
    }
    writer_->carry(gate_->enter(slots_of(batch)));
    failpoint("lane_behind_gate");
    try {
        return writer_->begin(needs);
    } catch (const store::StaleFence&) {
        gate_->turn_away();
        throw;
    }
}

/// What is there may be there alone: the COMMIT that wrote it may never have reached the standby,
/// whoever sent it and whatever they were told. Answered, it would be acknowledged, and lost with
/// this primary. Where it cannot be confirmed its outcome is as unknown as it was.
void Lane::confirm() {
    try {
        writer_->confirm();
    } catch (const Failure& failure) {
        if (failure.kind() == FailureKind::broken) {
            throw;
        }
        throw Failure(FailureKind::in_doubt, failure.what(), failure.native());
    }
}

/// After a guard fired the database has rolled the whole batch back; alone, each command shows
/// whether it is the one. Its keys are looked up, so that nothing joins it: that would overtake
/// what is still to come of the batch.
void Lane::work_one_by_one(std::vector<Job> batch) {
    for (Job& job : batch) {
        std::vector<Job> alone;
        alone.push_back(std::move(job));
        const bool stopped = [this] {
            const std::lock_guard lock(mutex_);
            return phase_ == Phase::in_doubt;
        }();
        if (stopped) {
            fail_all(alone, FailureKind::in_doubt);
        } else {
            work(std::move(alone), Keys::looked_up);
        }
    }
}

void Lane::fail_all(std::vector<Job>& batch, FailureKind kind) {
    const Wakes wakes;
    for (Job& job : batch) {
        reply(job, kind);
    }
}

/// The outcome of a COMMIT is unknown, and with it everything that would be decided on top of it.
/// All in flight are told so; the owner then ends the process, and the next start finds out.
void Lane::give_up(std::vector<Job>& batch) {
    std::vector<Job> waiting;
    {
        const std::lock_guard lock(mutex_);
        phase_ = Phase::in_doubt;
        std::move(queue_.begin(), queue_.end(), std::back_inserter(waiting));
        queue_.clear();
    }
    fail_all(batch, FailureKind::in_doubt);
    fail_all(waiting, FailureKind::in_doubt);
    ended_();
}

void Lane::reply(Job& job, Reply reply) {
    counters_.count(job.request.command.action, reply);
    job.done(std::move(reply));
}

}  // namespace passbook::writer
