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
//
// A value is the token and the TTL. Redis keeps the end of a key by a clock that can be set, and
// when that is set back, the key of a holder who is gone would last for hours: so who finds that
// more is left than there ever was lets the TTL begin again.

constexpr std::string_view take_script = R"(
for _, key in ipairs(KEYS) do
    local value = redis.call('GET', key)
    if value and value:sub(1, 32) ~= ARGV[1] then
        local left, ttl = redis.call('PTTL', key), tonumber(value:sub(34))
        if ttl and left > ttl then
            redis.call('PEXPIRE', key, ttl)
            left = ttl
        end
        return {0, left}
    end
end
for _, key in ipairs(KEYS) do
    redis.call('SET', key, ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[2])
end
return {1, 0}
)";

constexpr std::string_view renew_script = R"(
for _, key in ipairs(KEYS) do
    local value = redis.call('GET', key)
    if not value or value:sub(1, 32) ~= ARGV[1] then
        return {0, value and 1 or 0}
    end
end
for _, key in ipairs(KEYS) do
    redis.call('SET', key, ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[2])
end
return {1, 0}
)";

constexpr std::string_view release_script = R"(
local ours, others = 0, 0
for _, key in ipairs(KEYS) do
    local value = redis.call('GET', key)
    if value and value:sub(1, 32) == ARGV[1] then
        redis.call('DEL', key)
        redis.call('PUBLISH', ARGV[2], key)
        ours = ours + 1
    elseif value then
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

    /// Runs `work(connection)` on a connection of its own, which is kept unless that throws;
    /// NoAnswer.
    template <class Work>
    auto run(Steady::time_point until, Work work) {
        auto connection = idle();
        if (connection == nullptr) {
            connection = connect(until);
        }
        auto done = work(*connection);
        const std::lock_guard lock(mutex_);
        if (idle_.size() < idle_max) {
            idle_.push_back(std::move(connection));
        }
        return done;
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
        Taking taking;
        try {
            taking = pool_.run(until, [&](Connection& connection) {
                const Reply reply = ask(connection, take_script, claim.keys, claim.token.hex(),
                                        ttl_of(claim), until);
                return reply.number(0) == 1
                           ? Taking{.how = Taking::How::taken,
                                    .lacks_replicas = !await_replicas(connection, until)}
                           : Taking{.how = Taking::How::busy, .left = time_left(reply.number(1))};
            });
        } catch (const NoAnswer& failure) {
            return {.how = failure.was_sent() ? Taking::How::unknown : Taking::How::unavailable,
                    .why = failure.what()};
        }
        if (taking.lacks_replicas && address_.lacking == Lacking::refuse) {
            taking.how = Taking::How::unknown;  // for it is there, and is to be taken back
            taking.why = fmt::format("{}: fewer than {} replicas have it", address_.describe(),
                                     address_.replicas);
        }
        return taking;
    }

    [[nodiscard]] Renewed renew(const Claim& claim, Steady::time_point until) override {
        try {
            const Reply reply =
                ask(renew_script, claim.keys, claim.token.hex(), ttl_of(claim), until);
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
            const Reply reply = ask(release_script, claim.keys, claim.token.hex(), channel_, until);
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
            const Reply reply = ask(look_script, {key}, "", "", until);
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

    Reply ask(Connection& connection, std::string_view script, const std::vector<std::string>& keys,
              std::string_view first, std::string_view second, Steady::time_point until) const {
        std::vector<std::string> names;
        for (const std::string& key : keys) {
            names.push_back(address_.prefix + key);
        }
        const std::string count = std::to_string(names.size());
        std::vector<std::string_view> words{"EVAL", script, count};
        words.insert(words.end(), names.begin(), names.end());
        words.push_back(first);
        words.push_back(second);
        return connection.ask(words, until);
    }

    Reply ask(std::string_view script, const std::vector<std::string>& keys, std::string_view first,
              std::string_view second, Steady::time_point until) {
        return pool_.run(until, [&](Connection& connection) {
            return ask(connection, script, keys, first, second, until);
        });
    }

    /// Whether enough of them have what this connection wrote last, as far as they say so in half
    /// of the time that is left: then a holder is not kept waiting for replicas that are gone.
    bool await_replicas(Connection& connection, Steady::time_point until) const {
        if (address_.replicas == 0) {
            return true;
        }
        const auto patience = std::chrono::ceil<Millis>(until - Steady::now()) / 2;
        const std::string wanted = std::to_string(address_.replicas);
        const std::string most = std::to_string(std::max(patience, Millis(1)).count());  // 0: ever
        try {
            return connection.ask({"WAIT", wanted, most}, until).number() >= address_.replicas;
        } catch (const NoAnswer& failure) {
            throw NoAnswer(failure.what(), true);  // the keys are taken by now, whatever it was
        }
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
