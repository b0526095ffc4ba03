# SPDX-License-Identifier: Apache-2.0
"""How each planted bug of src/base/planted.h is found by the short suite.

    guard     the database refuses what does not follow: a command is answered `broken`, or a
              transaction meets a row that somebody wrote without its lock, and is run again
    assert    the process ends at a check that is on in release
    checker   `passbook lab check` names a rule that the history breaks
    holders   two are told that they hold one key

Where two are named with `or`, one is enough: which comes first is up to chance. Those that are
`simulated` must be found by the simulation as well (tests/simulation)."""

import dataclasses

# Several failures, far enough apart for the load to go on in between.
FAILING_COMMITS = ",".join(f"sqlite_before_commit=fail@{n}" for n in range(20, 400, 19))
FAILING_BEGINS = ",".join(f"sqlite_after_begin=fail@{n}" for n in range(20, 400, 19))
COMMITS_IN_DOUBT = ",".join(f"postgres_after_commit=fail@{n}" for n in range(20, 400, 19))


@dataclasses.dataclass(frozen=True)
class Planted:
    found_by: str
    store: str = "sqlite"
    failpoints: str = ""
    simulated: bool = True


BUGS = {
    "hold_not_counted": Planted("guard"),
    "floor_at_the_end": Planted("guard"),
    "commit_of_any_hold": Planted("guard or assert"),
    "refund_cap_per_call": Planted("guard"),
    "account_twice": Planted("guard", simulated=False),
    "amount_in_32_bits": Planted("checker C2"),
    "key_not_checked": Planted("guard"),
    "replay_applied_again": Planted("checker C1"),
    "replay_without_status": Planted("checker C9", simulated=False),
    "refusal_for_failure": Planted("checker C9", failpoints=FAILING_BEGINS, simulated=False),
    "balance_from_cache": Planted("guard"),
    "entry_rewritten": Planted("guard", simulated=False),
    "refusal_not_kept": Planted("checker C9"),
    "effect_rolled_back": Planted("checker C1", failpoints=FAILING_COMMITS),
    "commit_not_awaited": Planted("checker C1", failpoints=FAILING_COMMITS),
    "lease_rows_not_counted": Planted("holders", simulated=False),
    # One process that writes alone needs no locks, and never runs a transaction again.
    "read_outside_transaction": Planted("guard", store="postgres"),
    "lock_released_early": Planted("guard", store="postgres"),
    "retry_with_new_key": Planted("checker C1", store="postgres", failpoints=COMMITS_IN_DOUBT),
}
