// SPDX-License-Identifier: Apache-2.0
#include "http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <stdexcept>

#include "http/message.h"

namespace passbook::http {
namespace {

constexpr std::chrono::milliseconds patience{60'000};

}  // namespace

bool RawResponse::has_line(std::string_view line) const {
    return head.find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
}

std::string RawResponse::header(std::string_view name) const {
    for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at)) {
        at += 2;
        const std::size_t colon = head.find(": ", at);
        if (colon == std::string::npos) {
            break;
        }
        if (equal_ignoring_case(std::string_view(head).substr(at, colon - at), name)) {
            return head.substr(colon + 2, head.find("\r\n", colon) - colon - 2);
        }
    }
    return {};
}

RawClient::RawClient(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, std::bit_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(socket_);
        throw std::runtime_error("cannot connect to the server under test");
    }
}

RawClient::~RawClient() {
    ::close(socket_);
}

bool RawClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void RawClient::finish_sending() {
    ::shutdown(socket_, SHUT_WR);
}

bool RawClient::readable_within(std::chrono::milliseconds time) {
    pollfd wait{socket_, POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(time.count())) == 1;
}

bool RawClient::fill(std::chrono::milliseconds time) {
    if (!readable_within(time)) {
        return false;
    }
    std::array<char, 16 * 1024> part{};
    const auto size = ::recv(socket_, part.data(), part.size(), 0);
    if (size <= 0) {
        return false;
    }
    received_.append(part.data(), static_cast<std::size_t>(size));
    return true;
}

RawResponse RawClient::receive(bool without_body) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!fill(patience)) {
            return {};
        }
    }
    RawResponse response;
    response.head = received_.substr(0, end + 2);
    const int status = std::stoi(response.head.substr(9, 3));
    const std::string length = response.header("Content-Length");
    const std::size_t size = without_body || length.empty() ? 0 : std::stoul(length);
    while (received_.size() < end + 4 + size) {
        if (!fill(patience)) {
            return {};
        }
    }
    response.status = status;
    response.body = received_.substr(end + 4, size);
    received_.erase(0, end + 4 + size);
    return response;
}

bool RawClient::closed_within(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (received_.empty()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return false;
        }
        if (!readable_within(left)) {
            return false;
        }
        if (!fill(left)) {
            return true;
        }
    }
    return false;
}

}  // namespace passbook::http
