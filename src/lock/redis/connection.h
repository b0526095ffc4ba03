// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lock/redis/address.h"
#include "lock/words.h"

struct redisContext;
struct redisReply;

namespace passbook::lock::redis {

/// There is no answer, or an error is the answer. Where the request was on its way and nothing came
/// back, it may have been done.
class NoAnswer : public std::runtime_error {
public:
    NoAnswer(const std::string& what, bool was_sent)
        : std::runtime_error(what), was_sent_(was_sent) {}

    [[nodiscard]] bool was_sent() const noexcept {
        return was_sent_;
    }

private:
    bool was_sent_;
};

/// What the server said. Texts are valid as long as the reply.
class Reply {
public:
    explicit Reply(redisReply* reply) : reply_(reply, &clear) {}

    [[nodiscard]] std::string_view text() const;
    [[nodiscard]] std::int64_t number() const;  ///< 0 where it is none.
    /// Of an array, as the scripts return them; 0 where there is no such number.
    [[nodiscard]] std::int64_t number(std::size_t at) const;
    [[nodiscard]] std::string_view text(std::size_t at) const;

private:
    friend class Connection;

    static void clear(redisReply* reply) noexcept;

    std::unique_ptr<redisReply, void (*)(redisReply*)> reply_;
};

/// One link to a Redis server; used by one thread at a time. After NoAnswer it is of no more use:
/// a late answer could be taken for that of the next request, and one that became a replica will
/// not take the next either.
class Connection {
public:
    /// Connects, logs in and selects the database; NoAnswer where that does not succeed in time.
    /// A name is looked up first, which takes as long as the system's resolver does.
    Connection(const Address& address, Steady::time_point until);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] Reply ask(const std::vector<std::string_view>& words, Steady::time_point until);

    /// The next message that was not asked for. NoAnswer where the link broke, null where
    /// `wake_fd` became readable first.
    [[nodiscard]] std::unique_ptr<Reply> listen(int wake_fd);

    /// Whether an idle link is still there, as far as this end knows: a server that went away has
    /// said so by now. Asks nobody.
    [[nodiscard]] bool seems_alive() const;

private:
    void log_in(const Address& address, Steady::time_point until);
    void send(const std::vector<std::string_view>& words, Steady::time_point until);
    void await(short events, Steady::time_point until, bool was_sent) const;
    [[noreturn]] void fail(bool was_sent) const;

    const std::string where_;
    redisContext* context_;
};

}  // namespace passbook::lock::redis
