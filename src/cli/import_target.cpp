// SPDX-License-Identifier: Apache-2.0
#include "cli/import_target.h"

namespace passbook::cli {

void count(ImportTally& tally, const std::optional<Amount>& stated_balance,
           const RowAnswer& answer) {
    if (answer.replayed) {
        ++tally.replayed;
    } else if (answer.balance_after) {
        ++tally.posted;
    } else {
        ++tally.refused;
    }
    if (stated_balance && stated_balance != answer.balance_after) {
        ++tally.stated_balance_differences;
    }
}

}  // namespace passbook::cli
