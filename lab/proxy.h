// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "lab/endpoint.h"

namespace passbook::lab {

/// A link to a server that can be slow, silent or broken. It listens at a port of this machine; the
/// server and its other clients notice nothing. Any thread.
class Proxy {
public:
    enum class Mode : std::uint8_t {
        passing,
        silent,   ///< Takes what comes, passes nothing on, and says nothing.
        dead,     ///< Ends every link at once.
        cutting,  ///< Passes requests on; ends the link where the answer comes.
    };

    /// Throws std::runtime_error where there is no port.
    explicit Proxy(Endpoint server);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept {
        return port_;
    }
    /// From the next bytes on.
    void set(Mode mode) noexcept {
        mode_ = mode;
    }
    /// Cuts the next answers to what contains this text, and no others; then it passes.
    void cut_answers_to(std::string text, int times);
    /// What is passed on to the server is so late.
    void set_delay(std::chrono::milliseconds delay) noexcept {
        delay_ms_ = delay.count();
    }
    /// How many links were cut before an answer.
    [[nodiscard]] int cuts() const noexcept {
        return cuts_;
    }

private:
    void accept_links();
    void serve(int client);
    [[nodiscard]] bool pass_on(int client, int server, bool& is_cut);
    [[nodiscard]] bool is_to_be_cut(std::string_view request);

    const Endpoint server_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<Mode> mode_ = Mode::passing;
    std::atomic<std::int64_t> delay_ms_ = 0;
    std::atomic<int> cuts_ = 0;
    std::atomic<bool> is_ending_ = false;
    std::mutex mutex_;
    std::string cut_text_;           // guarded by mutex_
    int cuts_left_ = 0;              // guarded by mutex_
    std::list<std::jthread> links_;  // of the accepting thread alone
    std::jthread acceptor_;
};

}  // namespace passbook::lab
