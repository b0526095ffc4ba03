// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/scheduler.h"

#include <fmt/format.h>
#include <sched.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/simulation/machine.h"

namespace passbook::simulation {

struct Thread {
    int id = 0;
    Process process = 0;
    Scheduler* scheduler = nullptr;
    sem_t go{};
    pthread_t real{};
    void* (*start)(void*) = nullptr;
    void* argument = nullptr;
    bool ready = true;
    bool ended = false;
    bool timed_out = false;
    const void* waits_for = nullptr;  ///< A mutex, a condition, a thread; null while it sleeps.
    std::optional<Nanos> until;
};

namespace {

thread_local Thread* self = nullptr;

constexpr std::uint64_t switches_max = 3'000'000;
constexpr std::uint64_t switch_of_thousand = 120;  ///< Where a thread need not wait.
constexpr std::uint64_t stall_of_thousand = 2;
constexpr Nanos stall_max = 20 * millis;
constexpr std::size_t told_at_the_end = 4'000;

/// Threads of which one runs at a time lose nothing on one processor, and take over sooner.
class OneProcessor {
public:
    OneProcessor() {
        CPU_ZERO(&before_);
        (void)sched_getaffinity(0, sizeof(before_), &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
        (void)sched_setaffinity(0, sizeof(one), &one);
    }
    ~OneProcessor() {
        (void)sched_setaffinity(0, sizeof(before_), &before_);
    }
    OneProcessor(const OneProcessor&) = delete;
    OneProcessor& operator=(const OneProcessor&) = delete;

private:
    cpu_set_t before_{};
};

void* run_root(void* root) {
    (*static_cast<std::function<void()>*>(root))();
    return nullptr;
}

}  // namespace

Scheduler::Scheduler(std::uint64_t seed) : seed_(seed), chance_(seed) {
    sem_init(&done_, 0, 0);
}

Scheduler::~Scheduler() {
    for (const auto& thread : threads_) {
        sem_destroy(&thread->go);
    }
    sem_destroy(&done_);
}

Scheduler* Scheduler::current() noexcept {
    return self == nullptr ? nullptr : self->scheduler;
}

void Scheduler::run(std::function<void()> root) {
    const OneProcessor pinned;
    root_ = std::move(root);
    auto& thread = *threads_.emplace_back(std::make_unique<Thread>());
    thread.scheduler = this;
    thread.start = run_root;
    thread.argument = &root_;
    start(thread, nullptr);
    sem_post(&thread.go);
    while (sem_wait(&done_) != 0) {
    }
    machine().join(thread.real, nullptr);
}

Nanos Scheduler::now() noexcept {
    return ++now_;
}

std::int64_t Scheduler::wall_micros() noexcept {
    return wall_micros_ + static_cast<std::int64_t>(now() / micros);
}

void Scheduler::step_wall(std::int64_t by_micros) noexcept {
    wall_micros_ += by_micros;
}

void Scheduler::note(std::string_view what) {
    fmt::format_to(std::back_inserter(trace_), "{} {}: {}\n", now_, self->id, what);
}

void Scheduler::enter(Process process) {
    self->process = process;
}

void Scheduler::stand_still(Process process, Nanos how_long) {
    stands_until_[process] = now_ + how_long;
    yield();
}

void Scheduler::sleep(Nanos how_long) {
    block(nullptr, now_ + how_long);
}

void Scheduler::yield() {
    switch_away();
}

// Threads -----------------------------------------------------------------------------------------

void Scheduler::start(Thread& thread, const pthread_attr_t* attributes) {
    sem_init(&thread.go, 0, 0);
    if (machine().create(&thread.real, attributes, begin, &thread) != 0) {
        give_up("the machine gives no thread");
    }
}

int Scheduler::create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start_at)(void*),
                      void* argument) {
    auto& made = *threads_.emplace_back(std::make_unique<Thread>());
    made.id = static_cast<int>(threads_.size()) - 1;
    made.process = self->process;
    made.scheduler = this;
    made.start = start_at;
    made.argument = argument;
    start(made, attributes);
    *thread = made.real;
    maybe_switch();
    return 0;
}

void* Scheduler::begin(void* argument) {
    auto& thread = *static_cast<Thread*>(argument);
    while (sem_wait(&thread.go) != 0) {
    }
    self = &thread;
    void* const result = thread.start(thread.argument);
    thread.scheduler->end(thread);
    return result;
}

void Scheduler::end(Thread& thread) {
    thread.ready = false;
    thread.ended = true;
    wake(&thread, true);
    Thread* after = next();
    self = nullptr;  // what is left of the thread is the machine's
    sem_post(after == nullptr ? &done_ : &after->go);
}

int Scheduler::join(pthread_t thread, void** result) {
    const auto found = std::find_if(threads_.begin(), threads_.end(), [&](const auto& each) {
        return pthread_equal(each->real, thread) != 0;
    });
    Thread& ending = **found;
    while (!ending.ended) {
        block(&ending, std::nullopt);
    }
    ending.real = pthread_t{};  // the machine may use its number for another
    return machine().join(thread, result);
}

// Waiting -----------------------------------------------------------------------------------------

void Scheduler::lock(const void* mutex) {
    maybe_switch();
    while (owners_.contains(mutex)) {
        block(mutex, std::nullopt);
    }
    owners_.emplace(mutex, self);
}

bool Scheduler::try_lock(const void* mutex) {
    maybe_switch();
    return owners_.emplace(mutex, self).second;
}

void Scheduler::unlock(const void* mutex) {
    owners_.erase(mutex);
    wake(mutex, true);
    maybe_switch();
}

bool Scheduler::wait(const void* condition, const void* mutex, std::optional<Nanos> until) {
    owners_.erase(mutex);
    wake(mutex, true);
    block(condition, until);
    const bool timed_out = self->timed_out;
    while (owners_.contains(mutex)) {
        block(mutex, std::nullopt);
    }
    owners_.emplace(mutex, self);
    return !timed_out;
}

void Scheduler::signal(const void* condition, bool all) {
    wake(condition, all);
    maybe_switch();
}

void Scheduler::block(const void* reason, std::optional<Nanos> until) {
    self->ready = false;
    self->timed_out = false;
    self->waits_for = reason;
    self->until = until;
    switch_away();
}

/// Of several one is drawn.
void Scheduler::wake(const void* reason, bool all) {
    std::vector<Thread*> waiting;
    for (const auto& thread : threads_) {
        if (!thread->ready && !thread->ended && thread->waits_for == reason) {
            waiting.push_back(thread.get());
        }
    }
    if (!all && waiting.size() > 1) {
        waiting = {waiting[chance_.below(waiting.size())]};
    }
    for (Thread* thread : waiting) {
        thread->ready = true;
        thread->waits_for = nullptr;
        thread->until.reset();
    }
}

// Switching ---------------------------------------------------------------------------------------

/// The machine may take the processor away at any time, and for long.
void Scheduler::maybe_switch() {
    now_ += 1 + chance_.below(micros);
    if (chance_.of_thousand(stall_of_thousand)) {
        sleep(chance_.below(stall_max));
    } else if (chance_.of_thousand(switch_of_thousand)) {
        switch_away();
    }
}

void Scheduler::switch_away() {
    Thread* const me = self;
    Thread* const after = next();
    if (after == nullptr) {
        give_up("nobody is left");
    }
    if (after != me) {
        sem_post(&after->go);
        while (sem_wait(&me->go) != 0) {
        }
    }
}

/// Null where all have ended.
Thread* Scheduler::next() {
    if (++switches_ > switches_max) {
        give_up("the run does not come to an end");
    }
    for (;;) {
        wake_due();
        std::vector<Thread*> ready;
        auto soonest = std::optional<Nanos>();
        bool all_ended = true;
        for (const auto& thread : threads_) {
            all_ended = all_ended && thread->ended;
            if (thread->ready && !stands_still(*thread)) {
                ready.push_back(thread.get());
            }
            const auto wakes =
                thread->ready ? std::optional(stands_until_[thread->process]) : thread->until;
            if (!thread->ended && wakes && (!soonest || *wakes < *soonest)) {
                soonest = wakes;
            }
        }
        if (!ready.empty()) {
            now_ += 1 + chance_.below(micros);
            Thread* const drawn = ready[chance_.below(ready.size())];
            fmt::format_to(std::back_inserter(trace_), "{} {}\n", now_, drawn->id);
            return drawn;
        }
        if (all_ended) {
            return nullptr;
        }
        if (!soonest) {
            give_up("all wait for each other");
        }
        now_ = std::max(now_, *soonest);
    }
}

void Scheduler::wake_due() {
    for (const auto& thread : threads_) {
        if (!thread->ready && !thread->ended && thread->until && *thread->until <= now_) {
            thread->ready = true;
            thread->timed_out = true;
            thread->waits_for = nullptr;
            thread->until.reset();
        }
    }
}

bool Scheduler::stands_still(const Thread& thread) const {
    const auto found = stands_until_.find(thread.process);
    return found != stands_until_.end() && now_ < found->second;
}

void Scheduler::give_up(std::string_view why) const {
    const std::size_t from = trace_.size() - std::min(trace_.size(), told_at_the_end);
    std::fputs(fmt::format("{}\nseed {}: {}\n", trace_.substr(from), seed_, why).c_str(), stderr);
    for (const auto& thread : threads_) {
        std::fputs(fmt::format("thread {} of process {}: {}\n", thread->id, thread->process,
                               thread->ended   ? "ended"
                               : thread->ready ? "ready"
                                               : "waiting")
                       .c_str(),
                   stderr);
    }
    std::abort();
}

}  // namespace passbook::simulation
