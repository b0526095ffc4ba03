// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace passbook::lab {

/// A process that is told lines on its stdin and says lines on its stdout. It is gone when this
/// goes, and also when the thread that started it ends, however that ends. It does not take a
/// Ctrl-C of its terminal for its own: who started it decides. Used by the thread that made it.
class Child {
public:
    using Steady = std::chrono::steady_clock;

    struct Command {
        std::vector<std::string> arguments;
        std::vector<std::string> environment = {};  ///< NAME=VALUE, besides what we have ourselves.
        std::string program = "/proc/self/exe";
    };

    /// Throws std::runtime_error where the system has no more processes.
    explicit Child(const Command& command);
    /// Kills it.
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    [[nodiscard]] pid_t id() const noexcept {
        return id_;
    }

    /// False where it is gone.
    bool tell(std::string_view line);

    /// What it says next, without the end of the line; nothing where it said its last. Throws
    /// std::runtime_error where it says nothing for that long.
    [[nodiscard]] std::optional<std::string> line(std::chrono::milliseconds patience);

    /// SIGSTOP; returns once it stands still.
    void stop();
    /// SIGCONT.
    void resume();
    /// SIGKILL; returns once it is gone. What it said before can still be read.
    void kill();

private:
    pid_t id_ = -1;
    int link_ = -1;
    std::string said_;
};

}  // namespace passbook::lab
