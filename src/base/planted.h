// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Bugs that are planted to prove the tests: each must be found, or the tests are too weak. They
/// are in the product's sources, where somebody would make them, and in none of its binaries: only
/// passbook_mutant of tests/mutants is compiled with PASSBOOK_PLANTED, and the environment variable
/// PASSBOOK_PLANT then names the one that is switched on. Everywhere else `planted` is a constant.
/// How each is found is said in tests/mutants/bugs.py.

namespace passbook {

enum class Bug : std::uint8_t {
    // The rules.
    hold_not_counted,       ///< What is held can be spent, and held once more.
    floor_at_the_end,       ///< No entry is held to the floor, as if only the end counted.
    commit_of_any_hold,     ///< A commit does not ask whether its hold is still open.
    refund_cap_per_call,    ///< A reversal is held to the original, not to what is left of it.
    account_twice,          ///< Two postings on one account are checked apart.
    amount_in_32_bits,      ///< An amount goes through 32 bits.
    key_not_checked,        ///< Nobody looks whether the key was used before.
    replay_applied_again,   ///< A known key is applied again, beside its first effect.
    replay_without_status,  ///< A replay has the body of the first answer, and always 201.
    refusal_for_failure,    ///< What the store could not do is told as a refusal.
    // The transaction.
    read_outside_transaction,  ///< What is decided on was read before the transaction began.
    lock_released_early,       ///< The accounts are let go before what was decided is written.
    balance_from_cache,        ///< Balances come from a cache that nothing clears.
    entry_rewritten,           ///< A reversal also rewrites the entry that it takes back.
    refusal_not_kept,          ///< A refusal is answered, and its key is kept by nobody.
    effect_rolled_back,        ///< A key is known from before COMMIT on, whatever becomes of it.
    retry_with_new_key,        ///< A transaction that is run again gets new keys.
    commit_not_awaited,        ///< All are answered before COMMIT has, and it may fail.
    // Locks.
    lease_rows_not_counted,  ///< A renewal does not look whether its UPDATE met a row.
};

#ifdef PASSBOOK_PLANTED
/// Any thread. A name in PASSBOOK_PLANT that is none ends the process, with a list of all.
[[nodiscard]] bool planted(Bug bug) noexcept;
#else
[[nodiscard]] constexpr bool planted(Bug /*bug*/) noexcept {
    return false;
}
#endif

}  // namespace passbook
