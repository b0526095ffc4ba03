// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tests/simulation/chance.h"

/// Runs threads of the product, as they are, one at a time and in an order that a seed draws, on a
/// clock of its own. What makes a thread wait (mutexes, conditions, sleep, join) asks the scheduler
/// instead of the machine, see interposed.cpp; where all wait, the clock jumps to the next
/// deadline. So hours pass in a moment, and one seed is one run, to the last switch between two
/// threads.

namespace passbook::simulation {

using Nanos = std::uint64_t;  ///< Since the run began.

inline constexpr Nanos micros = 1'000;
inline constexpr Nanos millis = 1'000'000;
inline constexpr Nanos seconds = 1'000'000'000;

/// A group of threads that stands still as a whole. A thread is of its creator's.
using Process = int;

/// A thread of the run. It waits at `go` whenever another one runs.
struct Thread;

class Scheduler {
public:
    explicit Scheduler(std::uint64_t seed);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Runs `root` on the first thread, and returns when all threads have ended. A run in which
    /// all wait for ever, or that does not come to an end, ends the program with its trace.
    void run(std::function<void()> root);

    /// Of the thread that calls; null outside a run.
    [[nodiscard]] static Scheduler* current() noexcept;

    // All below are for threads of the run.

    [[nodiscard]] Nanos now() noexcept;
    [[nodiscard]] std::int64_t wall_micros() noexcept;  ///< Of the time of day, since 1970.
    void step_wall(std::int64_t by_micros) noexcept;    ///< Somebody sets the time of day.
    [[nodiscard]] Chance& chance() noexcept {
        return chance_;
    }

    void note(std::string_view what);  ///< Into the trace.
    [[nodiscard]] const std::string& trace() const noexcept {
        return trace_;
    }

    void enter(Process process);  ///< The thread that calls, with those that it will create.
    void stand_still(Process process, Nanos how_long);

    void sleep(Nanos how_long);
    void yield();

    // What the machine's functions become.

    int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
               void* argument);
    int join(pthread_t thread, void** result);
    void lock(const void* mutex);
    [[nodiscard]] bool try_lock(const void* mutex);
    void unlock(const void* mutex);
    /// False where it was `until` before the condition was signalled. May return true for nothing.
    bool wait(const void* condition, const void* mutex, std::optional<Nanos> until);
    void signal(const void* condition, bool all);

private:
    void start(Thread& thread, const pthread_attr_t* attributes);
    static void* begin(void* thread);
    void end(Thread& thread);
    void block(const void* reason, std::optional<Nanos> until);
    void wake(const void* reason, bool all);
    void maybe_switch();
    void switch_away();
    [[nodiscard]] Thread* next();
    void wake_due();
    [[nodiscard]] bool stands_still(const Thread& thread) const;
    [[noreturn]] void give_up(std::string_view why) const;

    const std::uint64_t seed_;
    Chance chance_;
    Nanos now_ = 0;
    std::int64_t wall_micros_ = 1'700'000'000'000'000;
    std::uint64_t switches_ = 0;
    std::string trace_;
    std::vector<std::unique_ptr<Thread>> threads_;  ///< In order of their making.
    std::unordered_map<const void*, Thread*> owners_;
    std::map<Process, Nanos> stands_until_;
    std::function<void()> root_;
    sem_t done_{};
};

}  // namespace passbook::simulation
