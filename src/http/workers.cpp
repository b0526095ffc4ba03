// SPDX-License-Identifier: Apache-2.0
#include "http/workers.h"

#include <pthread.h>

namespace passbook::http {

Workers::~Workers() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

bool Workers::run(std::function<void()> work) {
    const std::scoped_lock lock(mutex_);
    // A thread that was not yet started, or has not yet woken up, takes one as well.
    if (busy_ + queue_.size() >= threads_max_ + queue_max_) {
        return false;
    }
    queue_.push_back(std::move(work));
    if (busy_ + queue_.size() > threads_.size() && threads_.size() < threads_max_) {
        threads_.emplace_back([this] {
            pthread_setname_np(pthread_self(), name_.c_str());
            this->work();
        });
    }
    wake_.notify_one();
    return true;
}

void Workers::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) {
            return;
        }
        const auto next = std::move(queue_.front());
        queue_.pop_front();
        ++busy_;
        lock.unlock();
        next();
        lock.lock();
        --busy_;
    }
}

}  // namespace passbook::http
