// SPDX-License-Identifier: Apache-2.0
#include "audit/difference.h"

#include "base/assert.h"

namespace passbook::audit {

std::string_view name_of(What what) noexcept {
    switch (what) {
        case What::entry_seq:
            return "entry_seq";
        case What::entry_shape:
            return "entry_shape";
        case What::amount_range:
            return "amount_range";
        case What::balance_after:
            return "balance_after";
        case What::held_after:
            return "held_after";
        case What::recorded_at:
            return "recorded_at";
        case What::floor_passed:
            return "floor_passed";
        case What::ceiling_passed:
            return "ceiling_passed";
        case What::status_forbids:
            return "status_forbids";
        case What::key_repeated:
            return "key_repeated";
        case What::leg_without_subject:
            return "leg_without_subject";
        case What::transaction_incomplete:
            return "transaction_incomplete";
        case What::reversal:
            return "reversal";
        case What::account_balance:
            return "account_balance";
        case What::account_held:
            return "account_held";
        case What::account_seq:
            return "account_seq";
        case What::account_status:
            return "account_status";
        case What::account_recorded_at:
            return "account_recorded_at";
        case What::account_floor:
            return "account_floor";
        case What::account_ceiling:
            return "account_ceiling";
        case What::account_wake_at:
            return "account_wake_at";
        case What::account_asset:
            return "account_asset";
        case What::shard_wrong:
            return "shard_wrong";
        case What::account_missing:
            return "account_missing";
        case What::hold_missing:
            return "hold_missing";
        case What::hold_unopened:
            return "hold_unopened";
        case What::hold_opening:
            return "hold_opening";
        case What::hold_closing:
            return "hold_closing";
        case What::held_by_holds:
            return "held_by_holds";
    }
    PASSBOOK_ASSERT(false);
    return "";
}

}  // namespace passbook::audit
