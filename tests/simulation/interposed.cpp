// SPDX-License-Identifier: Apache-2.0
// Functions of the machine under their own names, which the linker takes before those of the C
// library, also for the C++ library: in threads of a run they ask the scheduler, in all others they
// are what they always were. Locks of the C library itself, such as malloc's, do not come by here:
// as one thread runs at a time, nobody ever waits for them.
#include <dlfcn.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <random>

#include "tests/simulation/machine.h"
#include "tests/simulation/scheduler.h"

namespace passbook::simulation {
namespace {

template <class Function>
void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

Machine found() {
    Machine own{};
    find(own.create, "pthread_create");
    find(own.join, "pthread_join");
    find(own.lock, "pthread_mutex_lock");
    find(own.try_lock, "pthread_mutex_trylock");
    find(own.unlock, "pthread_mutex_unlock");
    find(own.wait, "pthread_cond_wait");
    find(own.wait_until, "pthread_cond_clockwait");
    find(own.signal, "pthread_cond_signal");
    find(own.broadcast, "pthread_cond_broadcast");
    find(own.clock, "clock_gettime");
    find(own.sleep, "nanosleep");
    find(own.yield, "sched_yield");
    find(own.random, "getrandom");
    find(own.call, "syscall");
    return own;
}

Nanos nanos_of(const timespec& time) {
    return static_cast<Nanos>(time.tv_sec) * seconds + static_cast<Nanos>(time.tv_nsec);
}

timespec timespec_of(Nanos nanos) {
    return {.tv_sec = static_cast<time_t>(nanos / seconds),
            .tv_nsec = static_cast<long>(nanos % seconds)};
}

void fill(Scheduler& run, void* bytes, std::size_t count) {
    for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
        const std::uint64_t number = run.chance().number();
        std::memcpy(static_cast<char*>(bytes) + at, &number, std::min(sizeof(number), count - at));
    }
}

}  // namespace

const Machine& machine() noexcept {
    static const Machine own = found();
    return own;
}

}  // namespace passbook::simulation

using passbook::simulation::machine;
using passbook::simulation::Scheduler;

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
    Scheduler* run = Scheduler::current();
    return run == nullptr ? machine().create(thread, attributes, start, argument)
                          : run->create(thread, attributes, start, argument);
}

int pthread_join(pthread_t thread, void** result) {
    Scheduler* run = Scheduler::current();
    return run == nullptr ? machine().join(thread, result) : run->join(thread, result);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().lock(mutex);
    }
    run->lock(mutex);
    return 0;
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().try_lock(mutex);
    }
    return run->try_lock(mutex) ? 0 : EBUSY;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().unlock(mutex);
    }
    run->unlock(mutex);
    return 0;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().wait(condition, mutex);
    }
    (void)run->wait(condition, mutex, std::nullopt);
    return 0;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().wait_until(condition, mutex, clock, until);
    }
    return run->wait(condition, mutex, passbook::simulation::nanos_of(*until)) ? 0 : ETIMEDOUT;
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().signal(condition);
    }
    run->signal(condition, false);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().broadcast(condition);
    }
    run->signal(condition, true);
    return 0;
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().clock(clock, time);
    }
    *time = clock == CLOCK_REALTIME
                ? passbook::simulation::timespec_of(
                      static_cast<passbook::simulation::Nanos>(run->wall_micros()) *
                      passbook::simulation::micros)
                : passbook::simulation::timespec_of(run->now());
    return 0;
}

int nanosleep(const timespec* time, timespec* left) {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().sleep(time, left);
    }
    run->sleep(passbook::simulation::nanos_of(*time));
    return 0;
}

int sched_yield() noexcept {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().yield();
    }
    run->yield();
    return 0;
}

ssize_t getrandom(void* bytes, std::size_t count, unsigned flags) {
    Scheduler* run = Scheduler::current();
    if (run == nullptr) {
        return machine().random(bytes, count, flags);
    }
    passbook::simulation::fill(*run, bytes, count);
    return static_cast<ssize_t>(count);
}

/// Atomics wait by it: who wakes for nothing looks again.
long syscall(long number, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, number);
    long values[6];
    for (long& value : values) {
        value = va_arg(arguments, long);
    }
    va_end(arguments);
    Scheduler* run = Scheduler::current();
    if (run != nullptr && number == SYS_futex) {
        run->yield();
        return 0;
    }
    return machine().call(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

/// std::random_device::_M_getval, which would ask the processor.
unsigned passbook_drawn(std::random_device* /*device*/) __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned passbook_drawn(std::random_device* /*device*/) {
    Scheduler* run = Scheduler::current();
    unsigned value = 0;
    if (run != nullptr) {
        passbook::simulation::fill(*run, &value, sizeof(value));
    } else {
        (void)machine().random(&value, sizeof(value), 0);
    }
    return value;
}
}
