// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct redisContext;

namespace passbook::lab {

/// A link to a Redis server as a program has it that writes its own locks. `url` is of the form of
/// `passbook serve --lock`, with the prefix of the keys in it. One thread. Every function throws
/// std::runtime_error where the server does not answer within seconds, or answers with an error.
class RedisLink {
public:
    explicit RedisLink(const std::string& url);
    ~RedisLink();
    RedisLink(const RedisLink&) = delete;
    RedisLink& operator=(const RedisLink&) = delete;

    struct Reply {
        std::optional<std::string> text;  ///< Nothing for Redis' nil.
        std::int64_t number = 0;
        std::vector<Reply> list;
    };
    Reply ask(const std::vector<std::string>& words);

    /// The name under which Redis knows a key of ours.
    [[nodiscard]] std::string name_of(std::string_view key) const {
        return prefix_ + std::string(key);
    }

    /// Takes all keys of ours away, as FLUSHALL and eviction would; those of others stay.
    void wipe();

private:
    struct Close {
        void operator()(redisContext* context) const noexcept;
    };

    std::unique_ptr<redisContext, Close> context_;
    std::string prefix_;
};

/// `url` with a prefix that nobody else has, once the server has answered. Throws
/// std::runtime_error with one line where it does not, or the URL cannot be read.
[[nodiscard]] std::string with_own_prefix(const std::string& url);

/// The same server with a longer prefix: by that name and a colon.
[[nodiscard]] std::string redis_below(const std::string& url, std::string_view name);

/// The keys of one run of the lab: none are left when this goes.
class RedisKeys {
public:
    explicit RedisKeys(std::string url) : url_(std::move(url)) {}
    ~RedisKeys();
    RedisKeys(const RedisKeys&) = delete;
    RedisKeys& operator=(const RedisKeys&) = delete;

private:
    std::string url_;
};

/// For people: without user and password.
[[nodiscard]] std::string shown_redis(const std::string& url);

}  // namespace passbook::lab
