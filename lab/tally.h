// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "lab/run.h"

namespace passbook::lab {

/// What became of the ways that were played on one database.
struct Tally {
    Kind kind;
    std::size_t unsafe = 0;
    std::size_t failed = 0;  ///< Unsafe ways that were seen to fail.
    std::size_t guarded = 0;
    std::size_t held = 0;  ///< Guarded ways that held in every round.
    std::size_t rounds = 0;
};

/// Databases on which nothing was played are left out.
[[nodiscard]] std::vector<Tally> tallies_of(const std::vector<ExperimentResult>& results);

}  // namespace passbook::lab
