// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

/// Threads that act at once, and the places where they wait for each other, so that a race does not
/// depend on luck.

namespace passbook::lab {

/// Opens once all who are expected have come, and stays open.
class Meeting {
public:
    explicit Meeting(std::size_t expected) : expected_(expected) {}

    /// Comes, and waits for the others.
    void wait();
    /// One fewer is expected: somebody will not come.
    void drop();

private:
    void open_if_complete();

    std::mutex mutex_;
    std::condition_variable opened_;
    std::size_t expected_;
    std::size_t come_ = 0;
};

/// Closed until somebody opens it; then it stays open.
class Gate {
public:
    void open();
    void wait();

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool open_ = false;
};

/// Opens a gate when it goes, however its scope is left: nobody waits for who has failed.
class OpenAtEnd {
public:
    explicit OpenAtEnd(Gate& gate) : gate_(gate) {}
    ~OpenAtEnd() {
        gate_.open();
    }
    OpenAtEnd(const OpenAtEnd&) = delete;
    OpenAtEnd& operator=(const OpenAtEnd&) = delete;

private:
    Gate& gate_;
};

/// Runs `act(0)` … `act(count - 1)`, each on a thread of its own; none begins before all are there.
/// Returns when all have ended, and throws the first error of any. Where the system has not as many
/// threads, none of them acts.
void together(std::size_t count, const std::function<void(std::size_t)>& act);

}  // namespace passbook::lab
