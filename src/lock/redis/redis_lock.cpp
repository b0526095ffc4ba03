// SPDX-License-Identifier: Apache-2.0
#include "lock/redis/redis_lock.h"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <mutex>

#include "lock/redis/address.h"
#include "lock/redis/connection.h"
#include "lock/redis/listener.h"

namespace passbook::lock::redis {
namespace {

// Scripts run alone, so all keys are judged before any is changed. Each takes the keys, then the
// token. A key that is there under the token of this very acquisition is ours: it was taken by an
// earlier try whose answer was lost.

constexpr std::string_view take_script = R"(
for _, key in ipairs(KEYS) do
    local token = redis.call('GET', key)
    if token and token ~= ARGV[1] then
        return {0, redis.call('PTTL', key)}
    end
end
for _, key in ipairs(KEYS) do
    if not redis.call('SET', key, ARGV[1], 'NX', 'PX', ARGV[2]) then
        redis.call('PEXPIRE', key, ARGV[2])
    end
end
return {1, 0}
)";

constexpr std::string_view renew_script = R"(
for _, key in ipairs(KEYS) do
    local token = redis.call('GET', key)
    if token ~= ARGV[1] then
        return {0, token and 1 or 0}
    end
end
for _, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, ARGV[2])
end
return {1, 0}
)";

constexpr std::string_view release_script = R"(
local ours, others = 0, 0
for _, key in ipairs(KEYS) do
    local token = redis.call('GET', key)
    if token == ARGV[1] then
        redis.call('DEL', key)
        redis.call('PUBLISH', ARGV[2], key)
        ours = ours + 1
    elseif token then
        others = others + 1
    end
end
return {ours, others}
)";

constexpr std::string_view look_script = R"(
return {redis.call('EXISTS', KEYS[1]), redis.call('PTTL', KEYS[1])}
)";

constexpr std::size_t idle_max = 16;
/// After a connection failed none is tried for so long: who asks again at once must not spin.
constexpr Millis connect_pause{50};

/// Connections kept open between requests. Any thread; nothing is asked while `mutex_` is held.
class Pool {
public:
    explicit Pool(const Address& address) : address_(address) {}

    /// Runs one request on a connection of its own; NoAnswer.
    Reply ask(const std::vector<std::string_view>& words, Steady::time_point until) {
        auto connection = idle();
        if (connection == nullptr) {
            connection = connect(until);
        }
        Reply reply = connection->ask(words, until);
        if (reply.is_error()) {
            return reply;  // such as of a server that became a replica: the next asks anew
        }
        const std::lock_guard lock(mutex_);
        if (idle_.size() < idle_max) {
            idle_.push_back(std::move(connection));
        }
        return reply;
    }

private:
    std::unique_ptr<Connection> idle() {
        std::vector<std::unique_ptr<Connection>> dead;  // closed without the mutex
        const std::lock_guard lock(mutex_);
        while (!idle_.empty()) {
            auto connection = std::move(idle_.back());
            idle_.pop_back();
            if (connection->seems_alive()) {
                return connection;
            }
            dead.push_back(std::move(connection));
        }
        return nullptr;
    }

    std::unique_ptr<Connection> connect(Steady::time_point until) {
        if (Steady::now() < try_again_at_.load()) {
            throw NoAnswer(fmt::format("{} did not answer a moment ago", address_.describe()),
                           false);
        }
        try {
            return std::make_unique<Connection>(address_, until);
        } catch (const NoAnswer&) {
            try_again_at_ = Steady::now() + connect_pause;
            throw;
        }
    }

    const Address address_;
    std::atomic<Steady::time_point> try_again_at_{};
    std::mutex mutex_;
    std::vector<std::unique_ptr<Connection>> idle_;  // guarded by mutex_
};

class RedisLock final : public Service {
public:
    explicit RedisLock(const Address& address)
        : address_(address),
          channel_(address.prefix + "released"),
          pool_(address_),
          listener_(address_, channel_) {}

    [[nodiscard]] std::string describe() const override {
        return address_.describe();
    }

    [[nodiscard]] Taking take(const Claim& claim, Steady::time_point until) override {
        try {
            const Reply reply =
                run(take_script, claim.keys, claim.token.hex(), ttl_of(claim), until);
            if (reply.is_error()) {
                return {.how = Taking::How::unavailable, .why = std::string(reply.text())};
            }
            if (reply.number(0) == 1) {
                return {.how = Taking::How::taken};
            }
            return {.how = Taking::How::busy, .left = time_left(reply.number(1))};
        } catch (const NoAnswer& failure) {
            return {.how = failure.was_sent() ? Taking::How::unknown : Taking::How::unavailable,
                    .why = failure.what()};
        }
    }

    [[nodiscard]] Renewed renew(const Claim& claim, Steady::time_point until) override {
        try {
            const Reply reply =
                run(renew_script, claim.keys, claim.token.hex(), ttl_of(claim), until);
            if (reply.is_error()) {
                return Renewed::unknown;
            }
            if (reply.number(0) == 1) {
                return Renewed::renewed;
            }
            return reply.number(1) == 1 ? Renewed::taken : Renewed::gone;
        } catch (const NoAnswer&) {
            return Renewed::unknown;
        }
    }

    [[nodiscard]] Released release(const Claim& claim, Steady::time_point until) override {
        try {
            const Reply reply = run(release_script, claim.keys, claim.token.hex(), channel_, until);
            if (reply.is_error()) {
                return Released::unknown;
            }
            if (reply.number(0) == static_cast<std::int64_t>(claim.keys.size())) {
                return Released::released;
            }
            return reply.number(1) > 0 ? Released::not_owner : Released::already_expired;
        } catch (const NoAnswer&) {
            return Released::unknown;
        }
    }

    [[nodiscard]] std::optional<Look> look(const std::string& key,
                                           Steady::time_point until) override {
        try {
            const Reply reply = run(look_script, {key}, "", "", until);
            if (reply.is_error()) {
                return std::nullopt;
            }
            return Look{.held = reply.number(0) == 1, .left = time_left(reply.number(1))};
        } catch (const NoAnswer&) {
            return std::nullopt;
        }
    }

    void give_hints(const Hint& hint) override {
        listener_.start(hint);
    }

private:
    static std::string ttl_of(const Claim& claim) {
        return std::to_string(claim.ttl.count());
    }

    /// PTTL says -1 of a key without a TTL, which is none of ours, and -2 of none at all.
    static Millis time_left(std::int64_t pttl) {
        return Millis(std::max<std::int64_t>(pttl, 0));
    }

    Reply run(std::string_view script, const std::vector<std::string>& keys, std::string_view first,
              std::string_view second, Steady::time_point until) {
        std::vector<std::string> names;
        for (const std::string& key : keys) {
            names.push_back(address_.prefix + key);
        }
        const std::string count = std::to_string(names.size());
        std::vector<std::string_view> words{"EVAL", script, count};
        words.insert(words.end(), names.begin(), names.end());
        words.push_back(first);
        words.push_back(second);
        return pool_.ask(words, until);
    }

    const Address address_;
    const std::string channel_;
    Pool pool_;
    Listener listener_;
};

}  // namespace

std::unique_ptr<Service> open(const std::string& url) {
    return std::make_unique<RedisLock>(Address::parse(url));
}

}  // namespace passbook::lock::redis
