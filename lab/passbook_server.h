// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/child.h"

namespace passbook::lab {

/// `passbook serve` in a process of its own, on a store of the lab. As Child, of the thread that
/// made it.
class PassbookServer {
public:
    /// `lock` as `--lock` takes it. Throws std::runtime_error where it does not begin to serve.
    explicit PassbookServer(const std::string& store, const std::string& lock = "none");

    [[nodiscard]] std::uint16_t port() const noexcept {
        return port_;
    }
    [[nodiscard]] std::string url() const;
    [[nodiscard]] pid_t id() const noexcept {
        return child_.id();
    }

private:
    Child child_;
    std::uint16_t port_ = 0;
};

/// What a server said to one request. `status` 0: nothing that could be understood.
struct Told {
    int status = 0;
    bool replayed = false;
    std::string code;  ///< Of a refusal or a failure.
    std::string body;
};

/// Grants (above 0) or spends under a key, over a connection of its own that is tried once.
[[nodiscard]] Told move_over_http(const std::string& url, const std::string& account,
                                  std::int64_t amount, const std::string& key);

[[nodiscard]] std::int64_t balance_over_http(const std::string& url, const std::string& account);

/// What `/metrics` says under a name with its labels, such as
/// `passbook_lock_attempts_total{result="busy"}`. Throws std::runtime_error where it says nothing.
[[nodiscard]] std::int64_t metric_over_http(const std::string& url, const std::string& name);

/// The number behind a name of a text of metrics; throws as above.
[[nodiscard]] std::int64_t metric_in(const std::string& metrics, const std::string& name);

/// POST of a body in JSON without a key.
[[nodiscard]] Told post_over_http(const std::string& url, const std::string& path,
                                  const std::string& body);

}  // namespace passbook::lab
