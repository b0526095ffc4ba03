// SPDX-License-Identifier: Apache-2.0
#include "writer/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <algorithm>
#include <utility>

namespace passbook::writer {
namespace {

using lock::Acquired;
using lock::Millis;
using lock::Steady;

std::vector<std::string> keys_of(const Slots& slots) {
    std::vector<std::string> keys;
    for (std::size_t slot = 0; slot < slot_count; ++slot) {
        if (slots.test(slot)) {
            keys.push_back(fmt::format("{}slot.{:02}", own_keys, slot));
        }
    }
    return keys;
}

std::string next_of(const std::string& key) {
    return key + ".next";
}

std::vector<std::string> next_of(const std::vector<std::string>& keys) {
    std::vector<std::string> next;
    for (const std::string& key : keys) {
        next.push_back(next_of(key));
    }
    return next;
}

store::Fences fences_of(const lock::Guard& guard) {
    store::Fences fences;
    for (const std::string& key : guard.keys()) {
        fences.push_back({key, guard.fence(key)});
    }
    return fences;
}

Millis left_until(Steady::time_point until) {
    return std::max(Millis(0), std::chrono::duration_cast<Millis>(until - Steady::now()));
}

}  // namespace

lock::Settings gate_lock_settings() {
    return {.ttl = Millis(3'000),
            .margin = Millis(300),
            .io_timeout = Millis(250),
            .hold_max = std::chrono::hours(24 * 365),
            .poll_max = Millis(25),
            .routine = true};
}

bool gate_answers(lock::Locks& locks) {
    return locks.look(keys_of(1).front()).has_value();
}

Gate::Gate(const GateSettings& settings, Counters& counters)
    : settings_(settings), counters_(counters) {}

store::Fences Gate::enter(const Slots& slots) {
    used_at_ = Steady::now();
    Slots wanted = slots;
    if (guard_ && guard_->valid() && !is_turn_over()) {
        if ((slots & ~held_).none()) {
            counters_.count(Passage::held);
            return fences_of(*guard_);
        }
        wanted |= held_;  // what it has needed it goes on to need
    }
    guard_.reset();
    return without_ && used_at_ < ask_at_ ? go_without() : take(wanted);
}

void Gate::turn_away() {
    if (guard_) {
        const auto fences = fences_of(*guard_);
        settings_.locks->note_stale_write(fmt::format("{}", fmt::join(guard_->keys(), " ")),
                                          fences.front().number);
        guard_.reset();
    }
}

void Gate::rest() {
    if (guard_ &&
        (!guard_->valid() || Steady::now() >= used_at_ + settings_.times.idle || is_turn_over())) {
        guard_.reset();
    }
}

/// Whether somebody else waits for what is held. Asked once in a turn.
bool Gate::is_turn_over() {
    if (Steady::now() < look_at_) {
        return false;
    }
    const auto waited_for = is_waited_for(guard_->keys());
    // A service that does not answer is no reason to let go: what is held is held until its
    // deadline. Nor is it asked again so soon, for each time could be a whole time-out.
    look_at_ = Steady::now() + (waited_for ? settings_.times.turn : settings_.times.retry);
    return waited_for.value_or(false);
}

/// Nothing where the service does not answer.
std::optional<bool> Gate::is_waited_for(const std::vector<std::string>& keys) const {
    for (const std::string& key : keys) {
        const auto look = settings_.locks->look(next_of(key));
        if (!look || look->held) {
            return look ? std::optional(true) : std::nullopt;
        }
    }
    return false;
}

store::Fences Gate::take(const Slots& slots) {
    auto answer = acquire(keys_of(slots));
    if (!answer.what) {
        const bool is_held = answer.result == Acquired::busy || answer.result == Acquired::timeout;
        return decide(is_held ? FailureKind::busy : FailureKind::unavailable, answer.why);
    }
    if (std::exchange(without_, std::nullopt)) {
        spdlog::info("writes are behind the lock again");
    }
    guard_ = std::move(answer.what);
    held_ = slots;
    look_at_ = Steady::now() + settings_.times.turn;
    counters_.count(Passage::held);
    return fences_of(*guard_);
}

/// Who overtakes nobody need not stand in line.
lock::Answer<lock::Guard> Gate::acquire(const std::vector<std::string>& keys) {
    const auto until = Steady::now() + settings_.times.wait;
    const auto waited_for = is_waited_for(keys);
    if (!waited_for) {
        return {.result = Acquired::unavailable, .why = "the lock service does not answer"};
    }
    if (!*waited_for) {
        auto answer = settings_.locks->acquire({.keys = keys});
        if (answer.result != Acquired::busy) {
            return answer;
        }
    }
    auto place = settings_.locks->acquire(
        {.keys = next_of(keys), .wait = left_until(until), .fenced = false});
    return place.what ? settings_.locks->acquire({.keys = keys, .wait = left_until(until)})
                      : std::move(place);
}

store::Fences Gate::decide(FailureKind kind, std::string_view why) {
    if (!without_) {
        spdlog::warn("writes are {}: {}",
                     settings_.policy == LockPolicy::bypass ? "not behind the lock" : "refused",
                     kind == FailureKind::busy ? "another server keeps its slots" : why);
    }
    without_ = kind;
    ask_at_ = Steady::now() + settings_.times.retry;
    return go_without();
}

store::Fences Gate::go_without() {
    if (settings_.policy == LockPolicy::bypass) {
        counters_.count(Passage::bypassed);
        return {};
    }
    counters_.count(Passage::refused);
    throw Failure(*without_, "the lock in front of the writes cannot be had");
}

}  // namespace passbook::writer
