// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <filesystem>
#include <string>

namespace passbook::lock_tests {

/// A PgBouncer that pools transactions, between a test and its database.
class Pooler {
public:
    /// `url`: of a database on loopback, with user and password.
    explicit Pooler(const std::string& url);
    ~Pooler();
    Pooler(const Pooler&) = delete;
    Pooler& operator=(const Pooler&) = delete;

    /// The same database, through the pooler.
    [[nodiscard]] const std::string& url() const noexcept {
        return url_;
    }

private:
    void launch(std::uint16_t port);

    std::filesystem::path folder_;
    std::string url_;
    pid_t process_ = -1;
};

}  // namespace passbook::lock_tests
