// SPDX-License-Identifier: Apache-2.0
#include "lock/keeper.h"

#include <fmt/ranges.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <algorithm>

namespace passbook::lock {
namespace {

constexpr auto never = Steady::time_point::max();

/// Between two tries of a renewal that failed: often enough for several before the deadline.
Millis retry_pause(const Settings& settings) {
    return std::max(Millis(10), settings.ttl / 20);
}

std::uint64_t micros_since(Steady::time_point then) {
    const auto passed = Steady::now() - then;
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
}

}  // namespace

std::string described(const Token& token, const std::vector<std::int64_t>& fences) {
    return fences.empty()
               ? fmt::format("token {}", token.shortened())
               : fmt::format("token {}, fence {}", token.shortened(), fmt::join(fences, " "));
}

std::optional<Loss> Held::lost() const noexcept {
    const int found = loss.load();
    return found < 0 ? std::nullopt : std::optional(static_cast<Loss>(found));
}

Keeper::Keeper(Service& service, const Settings& settings, Counters& counters)
    : service_(service), settings_(settings), counters_(counters) {
    renewer_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "lock-renewer");
        run_renewer();
    });
    watch_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "lock-watch");
        run_watch();
    });
}

Keeper::~Keeper() {
    stop();
}

void Keeper::keep(const std::shared_ptr<Held>& held, Steady::time_point started) {
    const std::lock_guard lock(mutex_);
    held->valid_until = deadline(*held, started);
    entries_.push_back({.held = held, .renew_at = started + settings_.renew_every()});
    if (stopping_) {
        // The watch may be gone. Nobody has a callback yet, so that this calls nobody.
        held->loss = static_cast<int>(Loss::shutdown);
        held->stop.request_stop();
    }
    to_renewer_.notify_one();
    to_watch_.notify_one();
}

void Keeper::let_go(const Held& held) {
    const std::lock_guard lock(mutex_);
    entries_.remove_if([&](const Entry& entry) { return entry.held.get() == &held; });
    if (held.loss.load() < 0) {
        counters_.held_micros.add(micros_since(held.since));
    }
}

void Keeper::clean_up(Claim claim) {
    const auto now = Steady::now();
    const std::lock_guard lock(mutex_);
    if (stopping_) {
        return;  // what is left ends with its TTL
    }
    const auto until = now + claim.ttl;
    leftovers_.push_back({std::move(claim), until, now});
    to_renewer_.notify_one();
}

void Keeper::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        for (Entry& entry : entries_) {
            if (entry.held->loss.load() < 0) {
                entry.held->loss = static_cast<int>(Loss::shutdown);
            }
        }
    }
    to_renewer_.notify_one();
    to_watch_.notify_one();
    if (renewer_.joinable()) {
        renewer_.join();
        watch_.join();
    }
}

Keeper::Entry* Keeper::find(const Held& held) {
    for (Entry& entry : entries_) {
        if (entry.held.get() == &held) {
            return &entry;
        }
    }
    return nullptr;
}

Steady::time_point Keeper::deadline(const Held& held, Steady::time_point started) const {
    return std::min(settings_.deadline(started, held.claim.ttl), held.hold_until);
}

// The renewer -------------------------------------------------------------------------------------

void Keeper::run_renewer() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        const auto due = std::min_element(
            entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.renew_at < b.renew_at; });
        const auto old = std::min_element(
            leftovers_.begin(), leftovers_.end(),
            [](const Leftover& a, const Leftover& b) { return a.ask_at < b.ask_at; });
        const auto renew_at = due == entries_.end() ? never : due->renew_at;
        const auto clean_at = old == leftovers_.end() ? never : old->ask_at;
        const auto now = Steady::now();
        if (renew_at <= now) {  // first, for a holder depends on it
            const auto held = due->held;
            due->renew_at = never;
            renew(lock, held);
        } else if (clean_at <= now) {
            leftovers_.splice(leftovers_.begin(), leftovers_, old);
            clean(lock);
        } else if (const auto next = std::min(renew_at, clean_at); next == never) {
            to_renewer_.wait(lock);
        } else {
            to_renewer_.wait_until(lock, next);
        }
    }
}

void Keeper::renew(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Held>& held) {
    const auto started = Steady::now();
    Entry* entry = find(*held);
    if (held->lost() || started >= held->valid_until.load() ||
        held->valid_until.load() == held->hold_until) {
        return;  // the watch tells the holder, now or when the longest hold is over
    }
    entry->unanswered = true;
    lock.unlock();
    const auto until = std::min(started + settings_.io_timeout, held->valid_until.load());
    const Renewed renewed = service_.renew(held->claim, until);
    Counters::add(counters_.renewals, renewed);
    lock.lock();

    entry = find(*held);
    if (entry == nullptr || held->lost()) {
        return;
    }
    switch (renewed) {
        case Renewed::renewed:
            held->valid_until = deadline(*held, started);
            entry->renew_at = started + settings_.renew_every();
            entry->unanswered = false;
            break;
        case Renewed::gone:
            held->loss = static_cast<int>(Loss::expired);
            break;
        case Renewed::taken:
            held->loss = static_cast<int>(Loss::stolen);
            break;
        case Renewed::unknown:
            entry->renew_at = Steady::now() + retry_pause(settings_);
            break;
    }
    to_watch_.notify_one();
}

/// The first of the leftovers. Only its own release ends it early: that nothing is there may mean
/// that the request which takes it is still on its way.
void Keeper::clean(std::unique_lock<std::mutex>& lock) {
    Leftover& leftover = leftovers_.front();
    const Claim claim = leftover.claim;
    lock.unlock();
    const Released released = service_.release(claim, Steady::now() + settings_.io_timeout);
    lock.lock();
    leftover.ask_at = Steady::now() + std::max(Millis(10), claim.ttl / 8);
    if (released == Released::released || leftover.ask_at >= leftover.until) {
        leftovers_.remove_if([&](const Leftover& each) { return &each == &leftover; });
    }
}

// The watch ---------------------------------------------------------------------------------------

void Keeper::run_watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
        auto next = never;
        const auto lost = newly_lost(next);
        if (!lost.empty()) {
            lock.unlock();
            for (const auto& held : lost) {
                tell(*held);
            }
            lock.lock();
        } else if (stopping_) {
            return;
        } else if (next == never) {
            to_watch_.wait(lock);
        } else {
            to_watch_.wait_until(lock, next);
        }
    }
}

/// Those that were lost and whose holders do not know; `next` becomes the earliest deadline of the
/// others.
std::vector<std::shared_ptr<Held>> Keeper::newly_lost(Steady::time_point& next) {
    const auto now = Steady::now();
    std::vector<std::shared_ptr<Held>> lost;
    for (Entry& entry : entries_) {
        Held& held = *entry.held;
        if (!held.lost() && now >= held.valid_until.load()) {
            held.loss = static_cast<int>(entry.unanswered ? Loss::unreachable : Loss::expired);
        }
        if (!held.lost()) {
            next = std::min(next, held.valid_until.load());
        } else if (!entry.told) {
            entry.told = true;
            lost.push_back(entry.held);
        }
    }
    return lost;
}

void Keeper::tell(const Held& held) const {
    // A copy, for to ask for the stop is to change what is shared. First of all, for it is urgent.
    std::stop_source stop = held.stop;
    stop.request_stop();
    const Loss reason = *held.lost();
    Counters::add(counters_.lost, reason);
    counters_.held_micros.add(micros_since(held.since));
    spdlog::warn("lock {} lost: {}, {}", fmt::join(held.claim.keys, " "), name_of(reason),
                 described(held.claim.token, held.fences));
}

}  // namespace passbook::lock
