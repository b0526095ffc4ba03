// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <future>

#include "engine/locks.h"

namespace passbook::engine {
namespace {

const Clock& system_clock() {
    static const SystemClock clock;
    return clock;
}

std::unique_ptr<lock::Locks> open_gate(const Options& options, const store::Store& store) {
    if (!store.shared() || options.lock == "local") {
        return nullptr;
    }
    return open_locks(options.lock, options.store, writer::gate_lock_settings(),
                      options.lock_counters);
}

}  // namespace

ReaderPool::Lease::~Lease() {
    if (!reader_) {
        return;
    }
    const std::lock_guard lock(pool_->mutex_);
    pool_->idle_.push_back(std::move(reader_));
}

ReaderPool::Lease ReaderPool::lease() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return Lease(*this, std::move(reader));
        }
    }
    return Lease(*this, store_.reader());
}

Engine::Engine(const Options& options)
    : clock_(options.clock != nullptr ? *options.clock : system_clock()),
      store_(open_store(options.store, store::Access::write, clock_)),
      readers_(*store_),
      lock_policy_(options.lock_policy),
      gate_(open_gate(options, *store_)),
      lanes_(*store_, options.lanes, options.lane, counters_, options.in_doubt,
             {.locks = gate_.get(), .policy = options.lock_policy}) {}

Engine::~Engine() {
    stop();
}

void Engine::submit(ledger::Request request, writer::Completion done) {
    std::vector<writer::Job> jobs;
    jobs.push_back({std::move(request), std::move(done)});
    lanes_.submit(std::move(jobs));
}

void Engine::submit(std::vector<writer::Job> jobs) {
    lanes_.submit(std::move(jobs));
}

writer::Reply Engine::call(ledger::Request request) {
    // Shared, because the lane may still be inside set_value when the future is ready.
    auto promise = std::make_shared<std::promise<writer::Reply>>();
    auto future = promise->get_future();
    submit(std::move(request),
           [promise](writer::Reply reply) { promise->set_value(std::move(reply)); });
    return future.get();
}

}  // namespace passbook::engine
