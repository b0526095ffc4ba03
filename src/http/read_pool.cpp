// SPDX-License-Identifier: Apache-2.0
#include "http/read_pool.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <memory>
#include <string>
#include <utility>

#include "http/outcome.h"

namespace passbook::http {
namespace {

constexpr std::size_t threads = 2;
constexpr std::size_t queue_max = 1024;

void mark(Response& response, const store::Position& position) {
    response.headers.emplace_back("Passbook-Position", position.log);
    if (position.stale) {
        response.headers.emplace_back("Passbook-Stale-Seconds",
                                      std::to_string(position.stale->count()));
    }
}

}  // namespace

Lending lending(engine::Engine& engine) {
    const Lender lender = [&engine](const Reading& reading) {
        auto reader = engine.reader();
        try {
            return reading(*reader);
        } catch (const Failure&) {
            reader.discard();
            throw;
        }
    };
    return [lender] {
        return lender;
    };
}

Lending lending(store::Standby& standby) {
    return [&standby]() -> Lender {
        // Shared, because what a function keeps must be copyable.
        const std::shared_ptr<store::StandbyReader> reader = standby.reader();
        return [reader](const Reading& reading) -> Result<Response, Problem> {
            // Asked for first, so that what is read is never older than it says.
            const store::Position position = reader->position();
            auto read = reading(reader->rows());
            Response response = read ? std::move(*read) : problem_response(read.error());
            mark(response, position);
            return response;
        };
    };
}

ReadPool::ReadPool(const Lending& lending) {
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this, lender = lending()] {
            pthread_setname_np(pthread_self(), "http-read");
            work(lender);
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

void ReadPool::work(const Lender& lender) {
    for (;;) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) {
            return;
        }
        Job job = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        answer(std::move(job), lender);
    }
}

void ReadPool::answer(Job job, const Lender& lender) {
    try {
        auto response = lender(job.reading);
        if (response) {
            job.call.answer(std::move(*response));
        } else {
            job.call.refuse(response.error());
        }
    } catch (const Failure& failure) {
        spdlog::warn("reading for {} failed: {}: {}", job.call.route, name_of(failure.kind()),
                     failure.what());
        job.call.refuse(problem_of(failure.kind()));
    }
}

}  // namespace passbook::http
