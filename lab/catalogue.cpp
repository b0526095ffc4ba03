// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"

#include <algorithm>
#include <cctype>

namespace passbook::lab {

const std::vector<Experiment>& catalogue() {
    static const std::vector<Experiment> all{
        s1_two_spends(),
        s2_same_key(),
        s3_ten_spends(),
        s9_opposite_transfers(),
        s10_replica(),
        s11_unique_key(),
        s12_one_transaction(),
        s13_early_release(),
        s14_whole_again(),
        s16_refusal_stays(),
        p1_overwriting(),
        p2_no_entries(),
        p3_price(),
        p4_hot_wallet(),
        p5_past(),
        p6_entries_right(),
        l1_stock(),
        l6_no_lock(),
        l7_version(),
        l10_commits(),
        s4_time_out(),
        s5_plain_del(),
        s6_late_write(),
        s7_renewal(),
        s8_which_key(),
        s15_queue_owner(),
        s17_killed(),
        s18_dead_service(),
        l4_lost_answer(),
        l8_fence(),
        l9_lock_width(),
    };
    return all;
}

const Experiment* find_experiment(std::string_view id) {
    const auto same = [](char a, char b) {
        return std::toupper(static_cast<unsigned char>(a)) ==
               std::toupper(static_cast<unsigned char>(b));
    };
    const auto& all = catalogue();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment& experiment) {
        return std::equal(id.begin(), id.end(), experiment.id.begin(), experiment.id.end(), same);
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace passbook::lab
