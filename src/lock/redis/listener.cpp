// SPDX-License-Identifier: Apache-2.0
#include "lock/redis/listener.h"

#include <poll.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <system_error>

#include "lock/redis/connection.h"

namespace passbook::lock::redis {
namespace {

constexpr Millis connect_timeout{1'000};
constexpr Millis reconnect_pause{1'000};

int new_eventfd() {
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    if (fd < 0) {
        throw std::system_error(errno, std::generic_category(), "eventfd");
    }
    return fd;
}

}  // namespace

Listener::Listener(const Address& address, std::string channel)
    : address_(address), channel_(std::move(channel)), stop_fd_(new_eventfd()) {}

Listener::~Listener() {
    ::eventfd_write(stop_fd_, 1);
    if (thread_.joinable()) {
        thread_.join();
    }
    ::close(stop_fd_);
}

void Listener::start(const Service::Hint& hint) {
    std::call_once(started_, [&] {
        thread_ = std::thread([this, hint] {
            pthread_setname_np(pthread_self(), "lock-listener");
            run(hint);
        });
    });
}

void Listener::run(const Service::Hint& hint) const {
    do {
        try {
            hear(hint);
        } catch (const NoAnswer& failure) {
            spdlog::debug("no hints of released locks: {}", failure.what());
        }
    } while (!is_stopped(reconnect_pause));
}

/// Until the stop, or NoAnswer.
void Listener::hear(const Service::Hint& hint) const {
    Connection connection(address_, Steady::now() + connect_timeout);
    (void)connection.ask({"SUBSCRIBE", channel_}, Steady::now() + connect_timeout);
    hint("");  // whatever was released before this, nobody has heard of
    while (const auto message = connection.listen(stop_fd_)) {
        const std::string_view key = message->text(2);  // "message", channel, text
        if (key.starts_with(address_.prefix)) {
            hint(key.substr(address_.prefix.size()));
        }
    }
}

bool Listener::is_stopped(Millis within) const {
    pollfd stop{.fd = stop_fd_, .events = POLLIN, .revents = 0};
    return ::poll(&stop, 1, static_cast<int>(within.count())) > 0;
}

}  // namespace passbook::lock::redis
