// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lock/redis/connection.h"
#include "tests/servers/server_clock.h"

/// A Redis of a test's own, which redis_server.py starts: it may be stopped, killed and emptied,
/// and its clock set.

namespace passbook::test {

class RedisServer {
public:
    /// `ours`: one that `set_clock` sets.
    enum class Clock { machine, ours };

    /// `settings` as redis.conf has them, each `NAME=VALUE`.
    explicit RedisServer(std::initializer_list<std::string> settings = {},
                         Clock clock = Clock::machine) {
        std::string pattern = std::filesystem::temp_directory_path() / "passbook-redis-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("no folder for a Redis");
        }
        folder_ = pattern;
        std::string options;
        for (const std::string& setting : settings) {
            options += " --set '" + setting + "'";
        }
        if (clock == Clock::ours) {
            options += clock_.emplace(folder_).options();
        }
        start(options);
    }
    ~RedisServer() {
        send(SIGKILL);
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    [[nodiscard]] const std::string& url() const noexcept {
        return url_;
    }
    [[nodiscard]] lock::redis::Address address() const {
        return lock::redis::Address::parse(url_);
    }

    /// SIGSTOP, SIGCONT or SIGKILL.
    void send(int signal) const {
        if (process_ > 0) {
            ::kill(process_, signal);
        }
    }

    void set_clock(std::chrono::seconds ahead) const {
        clock_->set(ahead);
    }

    /// The same server again, empty, after it was killed.
    void start(const std::string& options = "") {
        const auto program = std::filesystem::path(PASSBOOK_SOURCE_DIR) / "tests/servers";
        const std::string command = "python3 -B '" + (program / "redis_server.py").string() +
                                    "' start '" + folder_.string() + "'" + options + " >/dev/null";
        if (std::system(command.c_str()) != 0) {
            throw std::runtime_error("no Redis is there for this test");
        }
        std::getline(std::ifstream(folder_ / "url") >> std::ws, url_);
        std::ifstream(folder_ / "data" / "redis.pid") >> process_;
    }

    /// What it says, on a connection of its own.
    std::string ask(const std::vector<std::string_view>& words) const {
        const auto until = lock::Steady::now() + std::chrono::seconds(10);
        return std::string(lock::redis::Connection(address(), until).ask(words, until).text());
    }

    /// Waits until it has copied what its primary holds and hears of what is new.
    [[nodiscard]] bool follows() const {
        const auto until = lock::Steady::now() + std::chrono::seconds(10);
        while (ask({"INFO", "replication"}).find("master_link_status:up") == std::string::npos) {
            if (lock::Steady::now() > until) {
                return false;
            }
            std::this_thread::sleep_for(lock::Millis(10));
        }
        return true;
    }

    /// The number behind `name` in what INFO says of itself, such as `cmdstat_eval:calls=`.
    [[nodiscard]] long info(std::string_view section, std::string_view name) const {
        const std::string all = ask({"INFO", section});
        const auto at = all.find(name);
        return at == std::string::npos ? 0 : std::strtol(&all[at + name.size()], nullptr, 10);
    }

private:
    std::filesystem::path folder_;
    std::optional<ServerClock> clock_;
    std::string url_;
    pid_t process_ = 0;
};

}  // namespace passbook::test
