// SPDX-License-Identifier: Apache-2.0
#include "lock/line.h"

#include <algorithm>

namespace passbook::lock {

Line::Place::Place(Line& line, const std::vector<std::string>& keys) : line_(line), keys_(keys) {
    const std::lock_guard lock(line_.mutex_);
    for (const std::string& key : keys_) {
        line_.queues_[key].push_back(this);
    }
    ++line_.waiting_;
}

Line::Place::~Place() {
    const std::lock_guard lock(line_.mutex_);
    for (const std::string& key : keys_) {
        auto& queue = line_.queues_[key];
        queue.erase(std::find(queue.begin(), queue.end(), this));
        if (queue.empty()) {
            line_.queues_.erase(key);
        } else {
            queue.front()->wake_.notify_one();
        }
    }
    --line_.waiting_;
}

bool Line::Place::is_first() const {
    return std::all_of(keys_.begin(), keys_.end(), [this](const std::string& key) {
        return line_.queues_.find(key)->second.front() == this;
    });
}

bool Line::Place::await_turn(Steady::time_point until, const std::stop_token& stop) {
    std::unique_lock lock(line_.mutex_);
    return wake_.wait_until(lock, stop, until, [this] { return is_first(); }) &&
           !stop.stop_requested();
}

std::uint64_t Line::Place::hints() const {
    const std::lock_guard lock(line_.mutex_);
    return hints_;
}

void Line::Place::rest(std::uint64_t seen, Steady::time_point until, const std::stop_token& stop) {
    std::unique_lock lock(line_.mutex_);
    wake_.wait_until(lock, stop, until, [&] { return hints_ != seen; });
}

void Line::hint(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto tell = [](Place& place) {
        ++place.hints_;
        place.wake_.notify_one();
    };
    if (!key.empty()) {
        if (const auto found = queues_.find(key); found != queues_.end()) {
            tell(*found->second.front());
        }
        return;
    }
    for (const auto& [each, queue] : queues_) {
        tell(*queue.front());
    }
}

std::size_t Line::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

}  // namespace passbook::lock
