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
[[nodiscard]] Experiment s9_opposite_transfers();
[[nodiscard]] Experiment s10_replica();
[[nodiscard]] Experiment s11_unique_key();
[[nodiscard]] Experiment s12_one_transaction();
[[nodiscard]] Experiment s13_early_release();
[[nodiscard]] Experiment s14_whole_again();
[[nodiscard]] Experiment s16_refusal_stays();
[[nodiscard]] Experiment p1_overwriting();
[[nodiscard]] Experiment p2_no_entries();
[[nodiscard]] Experiment p3_price();
[[nodiscard]] Experiment p4_hot_wallet();
[[nodiscard]] Experiment p5_past();
[[nodiscard]] Experiment p6_entries_right();
[[nodiscard]] Experiment l1_stock();
[[nodiscard]] Experiment l6_no_lock();
[[nodiscard]] Experiment l7_version();
[[nodiscard]] Experiment l10_commits();
[[nodiscard]] Experiment s4_time_out();
[[nodiscard]] Experiment s5_plain_del();
[[nodiscard]] Experiment s6_late_write();
[[nodiscard]] Experiment s7_renewal();
[[nodiscard]] Experiment s8_which_key();
[[nodiscard]] Experiment s15_queue_owner();
[[nodiscard]] Experiment s17_killed();
[[nodiscard]] Experiment s18_dead_service();
[[nodiscard]] Experiment l4_lost_answer();
[[nodiscard]] Experiment l8_fence();
[[nodiscard]] Experiment l9_lock_width();

}  // namespace passbook::lab
