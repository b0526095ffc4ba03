// SPDX-License-Identifier: Apache-2.0
#include "lab/meeting.h"

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace passbook::lab {

void Meeting::wait() {
    std::unique_lock lock(mutex_);
    ++come_;
    open_if_complete();
    opened_.wait(lock, [this] { return come_ >= expected_; });
}

void Meeting::drop() {
    const std::lock_guard lock(mutex_);
    --expected_;
    open_if_complete();
}

void Meeting::open_if_complete() {
    if (come_ >= expected_) {
        opened_.notify_all();
    }
}

void Gate::open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
}

void Gate::wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
}

void together(std::size_t count, const std::function<void(std::size_t)>& act) {
    Meeting start(count);
    std::atomic<bool> called_off = false;
    std::mutex mutex;
    std::exception_ptr first;
    const auto keep_error = [&] {
        const std::lock_guard lock(mutex);
        if (!first) {
            first = std::current_exception();
        }
    };
    const auto run = [&](std::size_t n) {
        start.wait();
        try {
            if (!called_off) {
                act(n);
            }
        } catch (...) {
            keep_error();
        }
    };
    std::vector<std::jthread> threads;
    threads.reserve(count);
    try {
        while (threads.size() < count) {
            threads.emplace_back(run, threads.size());
        }
    } catch (const std::system_error&) {
        keep_error();
        called_off = true;
        for (std::size_t n = threads.size(); n < count; ++n) {
            start.drop();
        }
    }
    threads.clear();
    if (first) {
        std::rethrow_exception(first);
    }
}

}  // namespace passbook::lab
