// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace passbook::test {

/// The clock of a private server that was started with its options: clock_shift.so then stands
/// between the server and its machine. It can be set while the server runs, as an administrator
/// would.
class ServerClock {
public:
    /// `folder`: of the server, before it is started.
    explicit ServerClock(const std::filesystem::path& folder) : file_(folder / "clock") {
        std::ofstream(file_, std::ios::binary) << std::string(sizeof(std::int64_t), '\0');
    }

    /// For the program that starts it.
    [[nodiscard]] std::string options() const {
        return " --variable CLOCK_SHIFT=" + file_.string() +
               " --variable LD_PRELOAD=" + std::filesystem::absolute("clock_shift.so").string();
    }

    /// Ahead of the machine's by so much.
    void set(std::chrono::seconds ahead) const {
        const std::int64_t seconds = ahead.count();
        std::array<char, sizeof seconds> bytes{};
        std::memcpy(bytes.data(), &seconds, bytes.size());
        // Written over and not anew, for it is mapped.
        std::fstream(file_, std::ios::binary | std::ios::in | std::ios::out)
            .write(bytes.data(), bytes.size());
    }

private:
    const std::filesystem::path file_;
};

}  // namespace passbook::test
