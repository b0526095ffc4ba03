// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>
#include <ctime>

namespace passbook::simulation {

/// The machine's own functions, behind those of interposed.cpp that have their names.
struct Machine {
    decltype(&::pthread_create) create;
    decltype(&::pthread_join) join;
    decltype(&::pthread_mutex_lock) lock;
    decltype(&::pthread_mutex_trylock) try_lock;
    decltype(&::pthread_mutex_unlock) unlock;
    decltype(&::pthread_cond_wait) wait;
    decltype(&::pthread_cond_clockwait) wait_until;
    decltype(&::pthread_cond_signal) signal;
    decltype(&::pthread_cond_broadcast) broadcast;
    decltype(&::clock_gettime) clock;
    decltype(&::nanosleep) sleep;
    decltype(&::sched_yield) yield;
    ssize_t (*random)(void*, std::size_t, unsigned);
    long (*call)(long, ...);
};

[[nodiscard]] const Machine& machine() noexcept;

}  // namespace passbook::simulation
