// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "lab/experiment.h"

namespace passbook::lab {

/// Every experiment, in the order in which they are best read.
[[nodiscard]] const std::vector<Experiment>& catalogue();

/// By its id, in either case; null where there is none.
[[nodiscard]] const Experiment* find_experiment(std::string_view id);

// One per file of lab/experiments.
[[nodiscard]] Experiment s1_two_spends();
[[nodiscard]] Experiment s2_same_key();
[[nodiscard]] Experiment s3_ten_spends();
[[nodiscard]] Experiment s11_unique_key();
[[nodiscard]] Experiment s12_one_transaction();
[[nodiscard]] Experiment s13_early_release();
[[nodiscard]] Experiment s14_whole_again();
[[nodiscard]] Experiment s16_refusal_stays();
[[nodiscard]] Experiment p1_overwriting();
[[nodiscard]] Experiment p2_no_entries();
[[nodiscard]] Experiment p3_price();
[[nodiscard]] Experiment p5_past();
[[nodiscard]] Experiment p6_entries_right();
[[nodiscard]] Experiment l1_stock();
[[nodiscard]] Experiment l7_version();
[[nodiscard]] Experiment l10_commits();

}  // namespace passbook::lab
