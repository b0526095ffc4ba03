// SPDX-License-Identifier: Apache-2.0
// Threads for work that waits for somebody else. They are started when they are needed and stay.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace passbook::http {

/// Any thread. Nothing is run while `mutex_` is held.
class Workers {
public:
    /// `name`: of its threads, at most 15 characters. `queue_max`: what may wait while all work.
    Workers(std::string name, std::size_t threads_max, std::size_t queue_max)
        : name_(std::move(name)), threads_max_(threads_max), queue_max_(queue_max) {}
    /// Runs what is queued, and ends.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// False where as many wait for a thread as may; then nothing is run.
    [[nodiscard]] bool run(std::function<void()> work);

private:
    void work();

    const std::string name_;
    const std::size_t threads_max_;
    const std::size_t queue_max_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;  // guarded by mutex_, as all below
    std::size_t busy_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace passbook::http
