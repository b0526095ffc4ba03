// SPDX-License-Identifier: Apache-2.0
#include "http/read_pool.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include "http/outcome.h"

namespace passbook::http {
namespace {

constexpr std::size_t threads = 2;
constexpr std::size_t queue_max = 1024;

}  // namespace

ReadPool::ReadPool(engine::Engine& engine) : engine_(engine) {
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this] {
            pthread_setname_np(pthread_self(), "http-read");
            work();
        });
    }
}

ReadPool::~ReadPool() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
}

void ReadPool::read(Call call, Reading reading) {
    {
        const std::scoped_lock lock(mutex_);
        if (queue_.size() < queue_max) {
            queue_.push_back({std::move(call), std::move(reading)});
            wake_.notify_one();
            return;
        }
    }
    call.refuse(problem_of(FailureKind::busy));
}

void ReadPool::work() {
    for (;;) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) {
            return;
        }
        Job job = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        answer(std::move(job));
    }
}

void ReadPool::answer(Job job) {
    try {
        auto reader = engine_.reader();
        try {
            auto response = job.reading(*reader);
            if (response) {
                job.call.answer(std::move(*response));
            } else {
                job.call.refuse(response.error());
            }
        } catch (const Failure&) {
            reader.discard();
            throw;
        }
    } catch (const Failure& failure) {
        spdlog::warn("reading for {} failed: {}: {}", job.call.route, name_of(failure.kind()),
                     failure.what());
        job.call.refuse(problem_of(failure.kind()));
    }
}

}  // namespace passbook::http
