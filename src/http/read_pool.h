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
#include "store/standby.h"

namespace passbook::http {

/// Reads what was asked for. It may throw Failure, which answers the request.
using Reading = std::function<Result<Response, Problem>(store::Reader&)>;

/// Lends a reader to a reading, on one thread, and returns what it made.
using Lender = std::function<Result<Response, Problem>(const Reading&)>;

/// Makes the lender of one thread.
using Lending = std::function<Lender()>;

/// Readers of the store; one that failed is not used again.
[[nodiscard]] Lending lending(engine::Engine& engine);

/// Readers of a standby. Every answer, and every problem that is made of what was read, says how
/// far the standby had come.
[[nodiscard]] Lending lending(store::Standby& standby);

class ReadPool {
public:
    explicit ReadPool(const Lending& lending);
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

    void work(const Lender& lender);
    static void answer(Job job, const Lender& lender);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;  // guarded by mutex_
    bool stopping_ = false;  // guarded by mutex_
    std::vector<std::jthread> threads_;
};

}  // namespace passbook::http
