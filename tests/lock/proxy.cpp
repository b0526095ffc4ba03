// SPDX-License-Identifier: Apache-2.0
#include "tests/lock/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace passbook::lock_tests {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// The one cast that the sockets interface asks for.
sockaddr* plain(sockaddr_in& address) {
    return static_cast<sockaddr*>(static_cast<void*>(&address));
}

/// A socket that listens on a free port.
int listen_anywhere(std::uint16_t& port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(listener, plain(address), size) != 0 || ::listen(listener, 64) != 0 ||
        ::getsockname(listener, plain(address), &size) != 0) {
        throw std::runtime_error("no port is free");
    }
    port = ntohs(address.sin_port);
    return listener;
}

std::size_t port_begin(const std::string& url) {
    constexpr std::string_view host = "@127.0.0.1:";
    const auto at = url.find(host);
    if (at == std::string::npos) {
        throw std::runtime_error("no server of loopback");
    }
    return at + host.size();
}

}  // namespace

std::uint16_t free_port() {
    std::uint16_t port = 0;
    ::close(listen_anywhere(port));
    return port;
}

bool answers(std::uint16_t port) {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(port);
    const bool is_open = ::connect(probe, plain(address), sizeof address) == 0;
    ::close(probe);
    return is_open;
}

std::uint16_t port_of(const std::string& url) {
    return static_cast<std::uint16_t>(std::stoi(url.substr(port_begin(url))));
}

std::string at_port(const std::string& url, std::uint16_t port) {
    const auto begin = port_begin(url);
    return url.substr(0, begin) + std::to_string(port) + url.substr(url.find('/', begin));
}

Proxy::Proxy(std::uint16_t server_port)
    : server_port_(server_port), listener_(listen_anywhere(port_)) {
    thread_ = std::thread([this] { run(); });
}

Proxy::~Proxy() {
    stopping_ = true;
    thread_.join();
    close_all();
    ::close(listener_);
}

void Proxy::set(std::atomic<bool>& what, bool to) const {
    what = to;
    const long turn = turns_;
    while (turns_ < turn + 2) {  // the one under way has not seen it from its beginning
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void Proxy::run() {
    for (; !stopping_; ++turns_) {
        if (down_) {
            close_all();
        }
        std::vector<pollfd> sockets{{.fd = listener_, .events = POLLIN, .revents = 0}};
        for (const Pair& pair : pairs_) {
            const short requests = hold_all_ ? 0 : POLLIN;
            const short answers = hold_all_ || hold_answers_ ? 0 : POLLIN;
            sockets.push_back({.fd = pair.client, .events = requests, .revents = 0});
            sockets.push_back({.fd = pair.server, .events = answers, .revents = 0});
        }
        ::poll(sockets.data(), sockets.size(), 5);
        if (sockets[0].revents != 0) {
            accept_one();
        }
        std::size_t at = 1;
        for (auto pair = pairs_.begin(); pair != pairs_.end() && at < sockets.size(); at += 2) {
            const bool good = hold_all_ || ((sockets[at].revents == 0 || forward(*pair, false)) &&
                                            (sockets[at + 1].revents == 0 || forward(*pair, true)));
            if (!good) {
                ::close(pair->client);
                ::close(pair->server);
            }
            pair = good ? std::next(pair) : pairs_.erase(pair);
        }
    }
}

/// Behind those that are polled already.
void Proxy::accept_one() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(server_port_);
    if (down_ || ::connect(server, plain(address), sizeof address) != 0) {
        ::close(client);
        ::close(server);
        return;
    }
    pairs_.push_back({client, server});
}

bool Proxy::forward(const Pair& pair, bool is_answer) {
    std::array<char, 4096> bytes{};
    const ssize_t got =
        ::recv(is_answer ? pair.server : pair.client, bytes.data(), bytes.size(), 0);
    if (got <= 0) {
        return false;
    }
    if (is_answer && lose_answers_) {
        return true;
    }
    if (!is_answer) {
        ++requests_;
    }
    return ::send(is_answer ? pair.client : pair.server, bytes.data(),
                  static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
}

void Proxy::close_all() {
    for (const Pair& pair : pairs_) {
        ::close(pair.client);
        ::close(pair.server);
    }
    pairs_.clear();
}

}  // namespace passbook::lock_tests
