// SPDX-License-Identifier: Apache-2.0
// A few threads on which requests that only read wait for the store, so that no connection's thread
// ever does. What cannot be queued is answered `busy`.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "http/call.h"

namespace passbook::http {

/// Reads what was asked for. It may throw Failure, which answers the request; a reader that failed
/// is not used again.
using Reading = std::function<Result<Response, Problem>(store::Reader&)>;

class ReadPool {
public:
    explicit ReadPool(engine::Engine& engine);
    /// Answers what is queued first.
    ~ReadPool();
    ReadPool(const ReadPool&) = delete;
    ReadPool& operator=(const ReadPool&) = delete;

    void read(Call call, Reading reading);

private:
    struct Job {
        Call call;
        Reading reading;
    };

    void work();
    void answer(Job job);

    engine::Engine& engine_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;  // guarded by mutex_
    bool stopping_ = false;  // guarded by mutex_
    std::vector<std::jthread> threads_;
};

}  // namespace passbook::http
