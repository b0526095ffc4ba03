// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>

namespace passbook::lock_tests {

/// A port of loopback that nobody uses yet.
[[nodiscard]] std::uint16_t free_port();
/// Whether somebody accepts connections there.
[[nodiscard]] bool answers(std::uint16_t port);

/// The port of a server's URL, which leads to 127.0.0.1; and the same URL with another.
[[nodiscard]] std::uint16_t port_of(const std::string& url);
[[nodiscard]] std::string at_port(const std::string& url, std::uint16_t port);

/// A network between a client and a server of loopback that a test can break. It has one thread and
/// a port of its own; what is changed holds when the call returns, for what arrives from then on.
class Proxy {
public:
    explicit Proxy(std::uint16_t server_port);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept {
        return port_;
    }

    /// Requests arrive and answers are lost, without a word to either side.
    void lose_answers(bool lost) {
        set(lose_answers_, lost);
    }
    /// Answers are kept, and arrive afterwards.
    void hold_answers(bool held) {
        set(hold_answers_, held);
    }
    /// Nothing gets through, in either direction; what was sent meanwhile arrives afterwards.
    void hold_all(bool held) {
        set(hold_all_, held);
    }
    /// Cuts what is open; while it is down, whoever connects is cut at once.
    void set_down(bool down) {
        set(down_, down);
    }
    /// How often a client has sent something, a short request each time.
    [[nodiscard]] long requests() const {
        return requests_;
    }

private:
    struct Pair {
        int client;
        int server;
    };

    /// Waits until the thread goes by it.
    void set(std::atomic<bool>& what, bool to) const;
    void run();
    void accept_one();
    /// False where one side is gone.
    bool forward(const Pair& pair, bool is_answer);
    void close_all();

    const std::uint16_t server_port_;
    std::uint16_t port_ = 0;
    const int listener_;
    std::list<Pair> pairs_;  // of the thread alone
    std::atomic<bool> lose_answers_ = false;
    std::atomic<bool> hold_answers_ = false;
    std::atomic<bool> hold_all_ = false;
    std::atomic<bool> down_ = false;
    std::atomic<long> requests_ = 0;
    std::atomic<long> turns_ = 0;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace passbook::lock_tests
