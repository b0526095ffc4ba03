// SPDX-License-Identifier: Apache-2.0
#include "lab/held_lock.h"

#include <algorithm>
#include <random>
#include <thread>

#include "engine/locks.h"

namespace passbook::lab {
namespace {

using std::chrono::milliseconds;

milliseconds ttl_of(const Self& self) {
    return milliseconds(self.number("ttl"));
}

/// Enough to tell tokens apart, as in Passbook's log.
std::string_view shortened(const std::string& token) {
    return std::string_view(token).substr(0, 8);
}

}  // namespace

// TradeHeld ---------------------------------------------------------------------------------------

TradeHeld::TradeHeld(Self& self, Release how)
    : self_(self),
      how_(how),
      lock_(trade_lock(self.word("redis"), self.word("plain tables"))),
      token_(lock::Token::random().hex()) {}

bool TradeHeld::acquire(const std::string& key, milliseconds wait) {
    std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int> pause(2, 10);
    const auto until = std::chrono::steady_clock::now() + wait;
    key_ = key;
    while (!lock_->set(key, token_, ttl_of(self_))) {
        if (std::chrono::steady_clock::now() >= until) {
            self_.note(Moment::refused, {"lock is held by another", "락을 다른 쪽이 쥐고 있음"});
            return false;
        }
        std::this_thread::sleep_for(milliseconds(pause(random)));
    }
    self_.note(Moment::noted, say("acquired {}", "얻음 {}", shortened(token_)));
    return true;
}

std::string TradeHeld::release() {
    if (how_ == Release::plain_delete) {
        lock_->del(key_);
        self_.note(Moment::noted, {"released: DEL", "놓음: DEL"});
        return "released";
    }
    const bool is_ours = lock_->del_if(key_, token_);
    self_.note(Moment::noted, is_ours
                                  ? say("released {}", "놓음 {}", shortened(token_))
                                  : Text("release: not ours any more", "놓기: 이미 내 것이 아님"));
    return is_ours ? "released" : "not_owner";
}

bool TradeHeld::is_mine() {
    const bool is_mine = lock_->is(key_, token_);
    self_.note(Moment::read, is_mine ? Text("the lock is mine", "락은 내 것")
                                     : Text("the lock is not mine", "락은 내 것이 아님"));
    return is_mine;
}

// OurHeld -----------------------------------------------------------------------------------------

lock::Settings times_of(milliseconds ttl) {
    return {.ttl = ttl,
            .margin = ttl / 5,
            .io_timeout = ttl / 4,
            .hold_max = milliseconds(60'000),
            .poll_max = milliseconds(20)};
}

OurHeld::OurHeld(Self& self, milliseconds hold_max) : self_(self) {
    lock::Settings times = times_of(ttl_of(self));
    times.hold_max = std::max(hold_max, times.ttl);
    locks_ = engine::open_locks(self.word("lock service"), self.word("store"), times);
}

bool OurHeld::acquire(const std::string& key, milliseconds wait) {
    auto answer = locks_->acquire({.keys = {key}, .wait = wait});
    result_ = answer.result;
    if (!answer.what) {
        self_.note(Moment::refused, say("lock {}", "락 {}", name_of(answer.result)));
        return false;
    }
    guard_.emplace(std::move(*answer.what));
    self_.note(Moment::noted, say("acquired {} fence {}", "얻음 {} 펜스 {}",
                                  guard_->token().shortened(), guard_->fence()));
    return true;
}

std::string OurHeld::release() {
    const std::string_view released = lock::name_of(guard_->release());
    self_.note(Moment::noted, say("release: {}", "놓기: {}", released));
    return std::string(released);
}

}  // namespace passbook::lab
