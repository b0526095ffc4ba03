// SPDX-License-Identifier: Apache-2.0
#include "lock/redis/connection.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/socket.h>
#include <array>
#include <cerrno>
#include <cstring>

namespace passbook::lock::redis {

// Reply -------------------------------------------------------------------------------------------

std::string_view Reply::text() const {
    return reply_->str == nullptr ? std::string_view() : std::string_view(reply_->str, reply_->len);
}

std::int64_t Reply::number() const {
    return reply_->type == REDIS_REPLY_INTEGER ? reply_->integer : 0;
}

std::int64_t Reply::number(std::size_t at) const {
    if (reply_->type != REDIS_REPLY_ARRAY || at >= reply_->elements ||
        reply_->element[at]->type != REDIS_REPLY_INTEGER) {
        return 0;
    }
    return reply_->element[at]->integer;
}

std::string_view Reply::text(std::size_t at) const {
    if (reply_->type != REDIS_REPLY_ARRAY || at >= reply_->elements ||
        reply_->element[at]->str == nullptr) {
        return {};
    }
    return {reply_->element[at]->str, reply_->element[at]->len};
}

void Reply::clear(redisReply* reply) noexcept {
    freeReplyObject(reply);
}

// Connection --------------------------------------------------------------------------------------

Connection::Connection(const Address& address, Steady::time_point until)
    : where_(address.describe()),
      context_(redisConnectNonBlock(address.host.c_str(), address.port)) {
    try {
        if (context_ == nullptr || context_->err != 0) {
            fail(false);
        }
        await(POLLOUT, until, false);
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(context_->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) {
            throw NoAnswer(fmt::format("{}: {}", where_, std::strerror(error)), false);
        }
        log_in(address, until);
    } catch (...) {
        redisFree(context_);
        throw;
    }
}

Connection::~Connection() {
    redisFree(context_);
}

void Connection::log_in(const Address& address, Steady::time_point until) {
    const auto demand = [&](const std::vector<std::string_view>& words) {
        try {
            (void)ask(words, until);
        } catch (const NoAnswer& failure) {
            throw NoAnswer(failure.what(), false);  // nothing that matters was sent yet
        }
    };
    if (!address.password.empty()) {
        const std::string user = address.user.empty() ? "default" : address.user;
        demand({"AUTH", user, address.password});
    }
    if (address.database != 0) {
        demand({"SELECT", std::to_string(address.database)});
    }
}

void Connection::fail(bool was_sent) const {
    const char* what = context_ == nullptr ? "no memory" : context_->errstr;
    throw NoAnswer(fmt::format("{}: {}", where_, what), was_sent);
}

/// Until the socket is ready. Rounded up, so that it never spins on the last fraction.
void Connection::await(short events, Steady::time_point until, bool was_sent) const {
    for (;;) {
        const auto left = std::chrono::ceil<Millis>(until - Steady::now()).count();
        pollfd socket{.fd = context_->fd, .events = events, .revents = 0};
        const int ready = left <= 0 ? 0 : ::poll(&socket, 1, static_cast<int>(left));
        if (ready > 0) {
            return;
        }
        if (ready == 0) {
            throw NoAnswer(fmt::format("{} did not answer in time", where_), was_sent);
        }
        if (errno != EINTR) {
            throw NoAnswer(fmt::format("{}: {}", where_, std::strerror(errno)), was_sent);
        }
    }
}

/// Not hiredis' own way to write, which would end a process that does not ignore SIGPIPE.
void Connection::send(const std::vector<std::string_view>& words, Steady::time_point until) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string_view word : words) {
        texts.push_back(word.data());
        sizes.push_back(word.size());
    }
    char* formatted = nullptr;
    const int size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()),
                                            texts.data(), sizes.data());
    if (size < 0) {
        throw NoAnswer(fmt::format("{}: no memory", where_), false);
    }
    const std::unique_ptr<char, void (*)(char*)> owned(formatted, redisFreeCommand);
    for (std::string_view left(formatted, static_cast<std::size_t>(size)); !left.empty();) {
        await(POLLOUT, until, true);
        const ssize_t sent = ::send(context_->fd, left.data(), left.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            left.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno != EAGAIN && errno != EINTR) {
            throw NoAnswer(fmt::format("{}: {}", where_, std::strerror(errno)), true);
        }
    }
}

Reply Connection::ask(const std::vector<std::string_view>& words, Steady::time_point until) {
    send(words, until);
    for (;;) {
        void* reply = nullptr;
        if (redisGetReplyFromReader(context_, &reply) != REDIS_OK) {
            fail(true);
        }
        if (reply != nullptr) {
            Reply answer(static_cast<redisReply*>(reply));
            if (answer.reply_->type == REDIS_REPLY_ERROR) {
                throw NoAnswer(fmt::format("{}: {}", where_, answer.text()), false);
            }
            return answer;
        }
        await(POLLIN, until, true);
        if (redisBufferRead(context_) != REDIS_OK) {
            fail(true);
        }
    }
}

std::unique_ptr<Reply> Connection::listen(int wake_fd) {
    for (;;) {
        void* reply = nullptr;
        if (redisGetReplyFromReader(context_, &reply) != REDIS_OK) {
            fail(true);
        }
        if (reply != nullptr) {
            return std::make_unique<Reply>(static_cast<redisReply*>(reply));
        }
        std::array<pollfd, 2> sockets{{{.fd = context_->fd, .events = POLLIN, .revents = 0},
                                       {.fd = wake_fd, .events = POLLIN, .revents = 0}}};
        if (::poll(sockets.data(), sockets.size(), -1) < 0) {
            continue;
        }
        if (sockets[1].revents != 0) {
            return nullptr;
        }
        if (redisBufferRead(context_) != REDIS_OK) {
            fail(true);
        }
    }
}

bool Connection::seems_alive() const {
    pollfd socket{.fd = context_->fd, .events = POLLIN, .revents = 0};
    return ::poll(&socket, 1, 0) == 0;
}

}  // namespace passbook::lock::redis
