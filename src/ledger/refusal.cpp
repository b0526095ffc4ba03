// SPDX-License-Identifier: Apache-2.0
#include "ledger/refusal.h"

#include <fmt/format.h>

namespace passbook::ledger {

std::string detail(const Refusal& refusal) {
    const std::string account = refusal.account ? refusal.account->text() : std::string();
    const auto& [first, second, third] = refusal.numbers;
    switch (refusal.code) {
        case Code::insufficient_balance:
            return fmt::format("Account {} has {} available and a floor of {}; {} was asked.",
                               account, first, third, second);
        case Code::ceiling_exceeded:
            return fmt::format(
                "Account {} has a balance of {} and a ceiling of {}; {} was to be added.", account,
                first, third, second);
        case Code::balance_out_of_range:
            return fmt::format(
                "Account {} has a balance of {}; a change of {} leaves the range of "
                "plus or minus {}.",
                account, first, second, amount_max);
        case Code::account_frozen:
            return fmt::format("Account {} is frozen.", account);
        case Code::account_closed:
            return fmt::format("Account {} is closed.", account);
        case Code::asset_mismatch:
            return fmt::format("Account {} keeps another asset than the one asked for.", account);
        case Code::unbalanced_transaction:
            return fmt::format("The postings in the asset of account {} add up to {}, not to 0.",
                               account, first);
        case Code::already_reversed:
            return "Nothing of the transaction is left to reverse.";
        case Code::reversal_too_large:
            return fmt::format("{} is left to reverse on account {}; {} was asked.", first, account,
                               second);
        case Code::reversal_mismatch:
            return account.empty()
                       ? "The transaction has several postings; say which with `postings`."
                       : fmt::format(
                             "The posting on account {} does not take back one of the "
                             "transaction.",
                             account);
        case Code::not_reversible:
            return "The transaction cannot be reversed.";
        case Code::hold_too_large:
            return fmt::format("The hold is {}; {} was asked.", first, second);
        case Code::hold_not_open:
            return "The hold is no longer open.";
        case Code::account_not_empty:
            return fmt::format("Account {} has a balance of {} and {} held.", account, first,
                               second);
        case Code::limit_in_use:
            return fmt::format("The limits do not fit what account {} holds now.", account);
        case Code::owned:
            return "The transaction belongs to a hold and is undone through it.";
        default:
            return std::string(info(refusal.code).meaning);
    }
}

}  // namespace passbook::ledger
