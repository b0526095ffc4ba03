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
    if (queue_.size() >= queue_max_) {
        return false;
    }
    queue_.push_back(std::move(work));
    if (queue_.size() > idle_ && threads_.size() < threads_max_) {
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
        ++idle_;
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        --idle_;
        if (queue_.empty()) {
            return;
        }
        const auto next = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        next();
        lock.lock();
    }
}

}  // namespace passbook::http
