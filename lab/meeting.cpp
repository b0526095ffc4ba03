// SPDX-License-Identifier: Apache-2.0
#include "lab/meeting.h"

#include <exception>
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
    std::mutex mutex;
    std::exception_ptr first;
    const auto keep_error = [&] {
        const std::lock_guard lock(mutex);
        if (!first) {
            first = std::current_exception();
        }
    };
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (std::size_t n = 0; n < count; ++n) {
        try {
            threads.emplace_back([&, n] {
                try {
                    start.wait();
                    act(n);
                } catch (...) {
                    keep_error();
                }
            });
        } catch (...) {  // The system has no more threads.
            keep_error();
            start.drop();
        }
    }
    threads.clear();
    if (first) {
        std::rethrow_exception(first);
    }
}

}  // namespace passbook::lab
