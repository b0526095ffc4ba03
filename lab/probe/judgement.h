// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/amount.h"
#include "lab/text.h"

/// Whether a balance is what the answers to a load say that it must be. Pure.

namespace passbook::lab::probe {

enum class Keys : std::uint8_t {
    different,  ///< Each request is one of its own.
    same,       ///< All are one and the same request, sent again.
};

struct Terms {
    Amount start = 0;
    Amount amount = 0;  ///< What one request takes; negative where it gives. Never 0.
    std::optional<Amount> floor = 0;
    Keys keys = Keys::different;
};

struct Counts {
    std::int64_t accepted = 0;
    std::int64_t refused = 0;  ///< And requests that were never sent: surely without effect.
    std::int64_t unknown = 0;  ///< May or may not have taken effect.
};

enum class Verdict : std::uint8_t {
    right,
    made,      ///< More is there than the answers allow, or more was given out than there was.
    lost,      ///< Less is there than the answers allow.
    odd,       ///< No whole number of requests leads to that balance.
    unknown,   ///< Right or wrong, depending on what became of requests with unknown outcome.
    untested,  ///< Nothing was accepted, so nothing was shown.
};

struct Judgement {
    Verdict verdict = Verdict::unknown;
    Total least = 0;  ///< Between which two balances the answers allow any.
    Total most = 0;
    Text why;
};

/// Claims nothing that an unknown outcome could explain.
[[nodiscard]] Judgement judge(const Terms& terms, const Counts& counts, Amount balance);

}  // namespace passbook::lab::probe
