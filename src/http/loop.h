// SPDX-License-Identifier: Apache-2.0
// One thread of the server and what its connections share: the queue through which other threads
// hand answers in, the deadlines' tick, and the count of open connections. Inner header of this
// room.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "http/responder.h"
#include "http/server.h"

namespace boost::asio {
class io_context;
}

namespace passbook::http {

using SteadyTime = std::chrono::steady_clock::time_point;

/// A connection as its loop sees it; all calls on the loop's thread.
class LoopMember {
public:
    virtual ~LoopMember() = default;
    virtual void begin() = 0;
    virtual void tick(SteadyTime now) = 0;  ///< Acts on a deadline that has passed.
    virtual void drain() = 0;               ///< Ends as soon as nothing is owed.
    virtual void cut() = 0;                 ///< Ends at once.
    virtual void answered(Rendering rendering) = 0;
};

/// What all loops of one server share.
struct ServerShared {
    ServerOptions options;
    ServerHooks hooks;
    std::atomic<std::size_t> connections{0};
    std::atomic<std::size_t> large_bodies{0};
    std::atomic<std::size_t> turned_away{
        0};  ///< Connections beyond the cap that still get their 503.
};

class Loop {
public:
    explicit Loop(std::shared_ptr<ServerShared> shared);
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    [[nodiscard]] boost::asio::io_context& context() noexcept {
        return *context_;
    }
    [[nodiscard]] ServerShared& shared() noexcept {
        return *shared_;
    }

    /// Hands an answer to its connection. Any thread; after halt() it is dropped.
    void push(std::shared_ptr<LoopMember> member, Rendering rendering);

    // The rest on the loop's own thread.
    void add(const std::shared_ptr<LoopMember>& member);
    void remove(LoopMember* member) noexcept;
    void tick(SteadyTime now);
    void drain();
    void cut();
    [[nodiscard]] bool draining() const noexcept {
        return draining_;
    }
    [[nodiscard]] const std::string& date();  ///< The value of the header Date, now.

    /// Takes no more answers; those waiting are dropped.
    void halt();

private:
    struct Completion {
        std::shared_ptr<LoopMember> member;
        Rendering rendering;
    };

    void deliver();
    [[nodiscard]] std::vector<std::shared_ptr<LoopMember>> members() const;

    std::unique_ptr<boost::asio::io_context> context_;
    std::shared_ptr<ServerShared> shared_;
    std::unordered_map<LoopMember*, std::shared_ptr<LoopMember>> members_;
    bool draining_ = false;
    std::string date_;
    std::time_t date_second_ = 0;

    std::mutex mutex_;
    std::vector<Completion> waiting_;  // guarded by mutex_
    bool halted_ = false;              // guarded by mutex_
};

enum class Welcome : bool { serve, turn_away };

/// Takes a connected socket over. The connection keeps itself and its loop alive until it is
/// closed.
[[nodiscard]] std::shared_ptr<LoopMember> make_connection(std::shared_ptr<Loop> loop, int socket,
                                                          bool ipv6, Welcome welcome);

}  // namespace passbook::http
