// SPDX-License-Identifier: Apache-2.0
#include "lock/lock.h"

#include <spdlog/spdlog.h>
#include <algorithm>

#include "base/assert.h"
#include "lock/inner.h"

namespace passbook::lock {
namespace {

constexpr Millis wait_max = std::chrono::hours(1);

std::vector<std::string> sorted(std::vector<std::string> keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

Millis left_until(Steady::time_point then) {
    return std::chrono::duration_cast<Millis>(then - Steady::now());
}

}  // namespace

// Guard -------------------------------------------------------------------------------------------

Guard::Guard(std::shared_ptr<Inner> inner, std::shared_ptr<Held> held)
    : inner_(std::move(inner)), held_(std::move(held)) {}

Guard::~Guard() {
    if (held_ != nullptr) {
        (void)release();
    }
}

Guard& Guard::operator=(Guard&& other) noexcept {
    if (this != &other) {
        if (held_ != nullptr) {
            (void)release();
        }
        inner_ = std::move(other.inner_);
        held_ = std::move(other.held_);
        released_ = other.released_;
    }
    return *this;
}

const std::vector<std::string>& Guard::keys() const noexcept {
    return held_->claim.keys;
}

const Token& Guard::token() const noexcept {
    return held_->claim.token;
}

std::int64_t Guard::fence() const noexcept {
    PASSBOOK_ASSERT(held_->claim.keys.size() == 1);
    return fence(held_->claim.keys.front());
}

std::int64_t Guard::fence(const std::string& key) const noexcept {
    const auto& all = held_->claim.keys;
    const auto at = std::find(all.begin(), all.end(), key);
    PASSBOOK_ASSERT(at != all.end());
    return held_->fences.empty() ? 0 : held_->fences[static_cast<std::size_t>(at - all.begin())];
}

bool Guard::valid() const noexcept {
    return !released_ && held_->valid();
}

std::stop_token Guard::stop_token() const {
    return held_->stop.get_token();
}

std::optional<Loss> Guard::lost() const noexcept {
    return held_->lost();
}

Released Guard::release() noexcept {
    if (!released_) {
        inner_->keeper.let_go(*held_);
        released_ = inner_->release(held_->claim, held_->fences);
    }
    return *released_;
}

// Locks -------------------------------------------------------------------------------------------

Locks::Locks(std::unique_ptr<Service> service, const Settings& settings, Mint mint,
             std::shared_ptr<Counters> counters) {
    check(settings);
    inner_ =
        std::make_shared<Inner>(std::move(service), settings, std::move(mint), std::move(counters));
}

Locks::~Locks() {
    stop();
}

Answer<Guard> Locks::acquire(const Wanted& wanted) {
    PASSBOOK_ASSERT(!wanted.keys.empty());
    auto answer = inner_->take({.keys = sorted(wanted.keys),
                                .token = Token::random(),
                                .ttl = inner_->settings.ttl,
                                .fenced = wanted.fenced},
                               std::clamp(wanted.wait, Millis(0), wait_max), wanted.cancel);
    Answer<Guard> given{.result = answer.result, .left = answer.left, .why = answer.why};
    if (answer.what) {
        auto held =
            std::make_shared<Held>(std::move(answer.what->claim), std::move(answer.what->fences),
                                   answer.what->started + inner_->settings.hold_max);
        inner_->keeper.keep(held, answer.what->started);
        given.what.emplace(inner_, std::move(held));
    }
    return given;
}

Answer<Ticket> Locks::issue(const std::string& key, Millis ttl, Millis wait) {
    auto answer =
        inner_->take({{key}, Token::random(), ttl}, std::clamp(wait, Millis(0), wait_max), {});
    Answer<Ticket> given{.result = answer.result, .left = answer.left, .why = answer.why};
    if (answer.what) {
        given.what = Ticket{answer.what->claim.token,
                            answer.what->fences.empty() ? 0 : answer.what->fences.front(),
                            left_until(inner_->settings.deadline(answer.what->started, ttl))};
    }
    return given;
}

Renewed Locks::renew(const std::string& key, const Token& token, Millis ttl, Millis& valid_for) {
    const auto started = Steady::now();
    const Renewed renewed =
        inner_->service->renew({{key}, token, ttl}, started + inner_->settings.io_timeout);
    Counters::add(inner_->counters.renewals, renewed);
    valid_for = left_until(inner_->settings.deadline(started, ttl));
    return renewed;
}

Released Locks::release(const std::string& key, const Token& token) {
    return inner_->release({{key}, token, inner_->settings.ttl});
}

std::optional<Look> Locks::look(const std::string& key) {
    return inner_->service->look(key, Steady::now() + inner_->settings.io_timeout);
}

void Locks::stop() {
    inner_->stopping.request_stop();
    inner_->keeper.stop();
}

std::string Locks::describe() const {
    return inner_->service->describe();
}

const Settings& Locks::settings() const noexcept {
    return inner_->settings;
}

const Counters& Locks::counters() const noexcept {
    return inner_->counters;
}

std::size_t Locks::waiting() const {
    return inner_->line.waiting();
}

void Locks::note_stale_write(std::string_view key, std::int64_t fence) {
    inner_->counters.stale_writes.add();
    spdlog::warn("lock {}: a late write under fence {} was refused", key, fence);
}

}  // namespace passbook::lock
