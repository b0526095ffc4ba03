// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/run.h"

namespace passbook::lab {

/// As much of a round as can be shown: its first lanes, and what happened in them first.
struct Excerpt {
    std::vector<std::size_t> lanes;  ///< Their numbers, in order.
    std::vector<Happening> rows;     ///< In order of time.
    std::size_t left_out = 0;        ///< What happened besides, in all lanes.

    /// The place of a row's lane among those shown.
    [[nodiscard]] std::size_t place_of(const Happening& row) const;
    /// Since the first row.
    [[nodiscard]] double milliseconds(const Happening& row) const;
};

[[nodiscard]] Excerpt excerpt_of(const WayResult& way, std::size_t lanes_max, std::size_t rows_max);

/// The first way that failed on that database, and the first that held, as far as there are any
/// with a time axis: they are the ones to compare.
[[nodiscard]] std::vector<const WayResult*> telling_ways(const ExperimentResult& result, Kind kind);

}  // namespace passbook::lab
