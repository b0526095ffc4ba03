// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ledger/account.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "ledger/state.h"
#include "store/sqlite/connection.h"

/// Rows of the tables as values of the ledger and back. Each `…_columns` lists the columns in the
/// order in which its `read_` expects them from column 0 and its `bind_` binds them from
/// parameter 1.

namespace passbook::store::sqlite {

inline constexpr std::string_view asset_columns =
    "code, scale, balanced, open_on_first_credit, floor, ceiling, used";
[[nodiscard]] ledger::Asset read_asset(const Statement& row);

/// An account `a` with its last entry `e`, which is its state; without one it is as it opened.
inline constexpr std::string_view account_columns =
    "a.id, a.asset, coalesce(e.status, 1), coalesce(e.balance_after, 0), coalesce(e.held_after, "
    "0), "
    "coalesce(e.seq, 0), coalesce(e.recorded_at, a.opened_at), "
    "CASE WHEN e.seq IS NULL THEN a.opening_floor ELSE e.floor END, "
    "CASE WHEN e.seq IS NULL THEN a.opening_ceiling ELSE e.ceiling END, "
    "CASE WHEN e.held_after > 0 THEN (SELECT min(expires_at) FROM holds WHERE shard = a.shard AND "
    "account = a.id AND status = 1) END, "
    "a.opening_floor, a.opening_ceiling, a.opened_at, a.metadata";
inline constexpr int account_column_count = 14;
/// What `account_columns` are taken from; goes on with WHERE.
inline constexpr std::string_view account_source =
    "accounts a LEFT JOIN entries e ON e.shard = a.shard AND e.account = a.id AND "
    "e.seq = (SELECT max(seq) FROM entries WHERE shard = a.shard AND account = a.id)";
[[nodiscard]] ledger::Account read_account(const Statement& row);

inline constexpr std::string_view entry_columns =
    "account, seq, kind, amount, held_change, balance_after, held_after, recorded_at, "
    "effective_at, "
    "key, fingerprint, format, subject, subject_seq, target, reverses, expires_at, floor, ceiling, "
    "reason, metadata";
[[nodiscard]] ledger::Entry read_entry(const Statement& row);

inline constexpr std::string_view hold_columns =
    "account, opened_seq, amount, committed, status, expires_at, closed_seq";
[[nodiscard]] ledger::Hold read_hold(const Statement& row);

inline constexpr std::string_view refusal_columns =
    "subject, key, fingerprint, format, code, at_account, n1, n2, n3, recorded_at";
[[nodiscard]] ledger::StoredRefusal read_refusal(const Statement& row);

}  // namespace passbook::store::sqlite
