// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lock/token.h"
#include "lock/words.h"

/// What one kind of lock can do: single requests to whatever keeps the keys. Waiting, renewal,
/// deadlines and loss are the same for every kind and live above it, in lock.h.

namespace passbook::lock {

/// What one acquisition asks for, from its first request to its last.
struct Claim {
    std::vector<std::string> keys;  ///< Sorted by bytes, each once, at least one.
    Token token;
    Millis ttl;
    bool fenced = true;  ///< Whether anybody asks for a number.
};

/// What a request for keys came to.
struct Taking {
    enum class How : std::uint8_t {
        taken,        ///< All keys, for the TTL from when the request was sent, at least.
        busy,         ///< None of them.
        unavailable,  ///< None of them: the request did not reach the service, or was turned down.
        unknown,      ///< It was sent, and no answer came: it may have taken all of them.
    };

    How how = How::unavailable;
    /// `busy`: no later than this it is free, unless it is renewed. 0: not known.
    Millis left{0};
    /// One per key where the service mints them; else empty.
    std::vector<std::int64_t> fences = {};
    std::string why = {};  ///< For the log, where there was no answer.
    /// Fewer copies of the service than it was told to wait for have said that they know.
    bool lacks_replicas = false;
};

/// How a key stands, for people.
struct Look {
    bool held = false;
    Millis left{0};  ///< As in Taking.
};

/// Thread safety: any thread, also at once; of one claim a renewal and a release may overlap, and
/// end in either order. No request takes longer than until its deadline but by the machine's delay
/// (or as its kind says), and none throws: that a service does not answer is nothing exceptional.
class Service {
public:
    virtual ~Service() = default;

    [[nodiscard]] virtual std::string describe() const = 0;  ///< For people; never a password.

    /// All keys or none. Repeated with the same token it is the same acquisition.
    [[nodiscard]] virtual Taking take(const Claim& claim, Steady::time_point until) = 0;

    /// Makes the TTL of all keys begin again; of none unless all are held under this token.
    [[nodiscard]] virtual Renewed renew(const Claim& claim, Steady::time_point until) = 0;

    /// Frees those of the keys that are held under this token, and no other. As good for an
    /// acquisition whose outcome is unknown.
    [[nodiscard]] virtual Released release(const Claim& claim, Steady::time_point until) = 0;

    /// Nothing where the service did not answer.
    [[nodiscard]] virtual std::optional<Look> look(const std::string& key,
                                                   Steady::time_point until) = 0;

    /// A key that was held may be free; the empty text stands for every key. A hint: it may be
    /// wrong, late, or missing.
    using Hint = std::function<void(std::string_view key)>;

    /// Called when somebody begins to wait, any number of times: from here on the service may give
    /// hints, from threads of its own and until it is destroyed.
    virtual void give_hints(const Hint&) {}
};

}  // namespace passbook::lock
