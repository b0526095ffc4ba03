// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"

namespace passbook::audit {

/// A key that stands for two requests of one account. A refusal has seq 0.
struct Repeat {
    std::int64_t first_seq = 0;
    std::int64_t second_seq = 0;

    friend bool operator==(const Repeat&, const Repeat&) = default;
};

/// Finds the repeated keys of one account without the help of an index, which may be the very thing
/// that is broken. It remembers at most `kept_max` keys: an account with more is gone through
/// several times, each time for the part of its keys that was left out before.
class KeyAudit {
public:
    explicit KeyAudit(std::size_t kept_max) : kept_max_(kept_max) {}

    /// Forgets everything: the next account.
    void begin();

    /// seq 0 stands for a refusal.
    void add(const Key& key, std::int64_t seq);

    /// The repeats among what was kept in this pass.
    [[nodiscard]] std::vector<Repeat> repeats();

    /// Whether all rows of the account must be added once more, for keys left out so far.
    [[nodiscard]] bool next_pass();

private:
    /// Stands for a key in little memory. Clients choose the keys, so it must be one for which none
    /// can make two that collide.
    using Hash = std::array<std::uint8_t, 16>;

    /// The keys whose hash ends in these `bits` bits.
    struct Part {
        std::uint64_t value = 0;
        unsigned bits = 0;

        [[nodiscard]] bool holds(const Hash& hash) const;
    };

    struct Kept {
        Hash hash;
        std::int64_t seq;
    };

    void halve();

    std::size_t kept_max_;
    Part part_;
    std::vector<Part> left_out_;
    std::vector<Kept> kept_;
};

}  // namespace passbook::audit
