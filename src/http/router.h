// SPDX-License-Identifier: Apache-2.0
// Which handler takes which method and path, and what it lets in before a body is read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/call.h"
#include "http/message.h"
#include "http/server.h"

namespace passbook::http {

inline constexpr std::size_t body_bytes_max = 64 * 1024;
inline constexpr std::size_t batch_bytes_max = 8 * 1024 * 1024;

enum class KeyRule : std::uint8_t {
    ignored,   ///< Reads: a key says nothing.
    required,  ///< 400 without.
    optional,
    not_taken,  ///< 400 with.
};

struct Route {
    Method method;
    std::string_view pattern;  ///< `{…}` stands for one segment; a literal one is tried first.
    KeyRule key;
    std::size_t body_max;  ///< 0: takes no body.
    std::function<void(Call)> handle;
};

class Router {
public:
    explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

    /// Judges a request that has a body by its head.
    [[nodiscard]] Admission admit(const Request& request) const;

    /// Calls the route's handler, or answers why there is none.
    void handle(const Request& request, Responder responder) const;

private:
    struct Match {
        const Route* route = nullptr;
        std::vector<std::string_view> ids;  ///< Still percent-encoded.
    };

    [[nodiscard]] Match match(const Request& request) const;
    [[nodiscard]] Response refuse_unmatched(const Request& request) const;

    std::vector<Route> routes_;
};

/// Reads the header Idempotency-Key as the rule says.
[[nodiscard]] Result<std::optional<Key>, Problem> read_key(const Request& request, KeyRule rule);

}  // namespace passbook::http
