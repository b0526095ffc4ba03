// SPDX-License-Identifier: Apache-2.0
#include "lab/proxy.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace passbook::lab {
namespace {

constexpr int look_every_ms = 20;  ///< Whether the mode has changed, or all is to end.

class Socket {
public:
    explicit Socket(int fd) : fd_(fd) {}
    ~Socket() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    [[nodiscard]] int fd() const noexcept {
        return fd_;
    }

private:
    int fd_;
};

sockaddr_in address_of(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) {
        throw std::runtime_error(
            fmt::format("{}: to be slowed and cut, a server needs an IPv4 address", host));
    }
    sockaddr_in address{};
    std::memcpy(&address, found->ai_addr, sizeof address);
    freeaddrinfo(found);
    address.sin_port = htons(port);
    return address;
}

/// -1 where it does not answer.
int connected(const Endpoint& server) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = address_of(server.host, server.port);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Empty at the end of the link.
std::string_view received(int fd, std::array<char, 65'536>& bytes) {
    const ssize_t count = recv(fd, bytes.data(), bytes.size(), 0);
    return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

}  // namespace

Proxy::Proxy(Endpoint server) : server_(std::move(server)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = address_of("127.0.0.1", 0);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        listen(listener_, 64) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        close(listener_);
        throw std::runtime_error("no port to listen at");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::jthread([this] { accept_links(); });
}

Proxy::~Proxy() {
    is_ending_ = true;
    acceptor_.join();
    links_.clear();
    close(listener_);
}

void Proxy::cut_answers_to(std::string text, int times) {
    const std::lock_guard lock(mutex_);
    cut_text_ = std::move(text);
    cuts_left_ = times;
}

bool Proxy::is_to_be_cut(std::string_view request) {
    if (mode_ == Mode::cutting) {
        return true;
    }
    const std::lock_guard lock(mutex_);
    if (cuts_left_ == 0 || request.find(cut_text_) == std::string_view::npos) {
        return false;
    }
    --cuts_left_;
    return true;
}

void Proxy::accept_links() {
    while (!is_ending_) {
        pollfd socket{.fd = listener_, .events = POLLIN, .revents = 0};
        if (poll(&socket, 1, look_every_ms) == 1) {
            const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (client >= 0) {
                links_.emplace_back([this, client] { serve(client); });
            }
        }
    }
}

void Proxy::serve(int fd) {
    const Socket client(fd);
    if (mode_ == Mode::dead) {
        return;
    }
    // Who never gets through needs no server either.
    const Socket server(mode_ == Mode::silent ? -1 : connected(server_));
    bool is_cut = false;
    while (!is_ending_ && mode_ != Mode::dead) {
        if ((server.fd() < 0 && mode_ != Mode::silent) ||
            !pass_on(client.fd(), server.fd(), is_cut)) {
            return;
        }
    }
}

/// One look at both sides; false where the link is over.
bool Proxy::pass_on(int client, int server, bool& is_cut) {
    std::array<pollfd, 2> sides{{{.fd = client, .events = POLLIN, .revents = 0},
                                 {.fd = server, .events = POLLIN, .revents = 0}}};
    if (poll(sides.data(), sides.size(), look_every_ms) <= 0) {
        return true;
    }
    std::array<char, 65'536> bytes{};
    if (sides[0].revents != 0) {
        const std::string_view request = received(client, bytes);
        is_cut = is_cut || is_to_be_cut(request);
        std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms_));
        if (request.empty() || (mode_ != Mode::silent && !send_all(server, request))) {
            return false;
        }
    }
    if (sides[1].revents != 0) {
        const std::string_view answer = received(server, bytes);
        if (is_cut) {
            ++cuts_;
            return false;
        }
        return !answer.empty() && (mode_ == Mode::silent || send_all(client, answer));
    }
    return true;
}

}  // namespace passbook::lab
