// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ledger/account.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "ledger/state.h"
#include "store/postgres/connection.h"

/// Rows of the tables as values of the ledger. Each `…_columns` lists the columns in the order in
/// which its `read_` expects them, the first at column `from`.

namespace passbook::store::postgres {

/// Of an asset `s`.
inline constexpr std::string_view asset_columns =
    "s.code, s.scale, s.balanced, s.open_on_first_credit, s.floor, s.ceiling, s.used";
[[nodiscard]] ledger::Asset read_asset(const Row& row, int from = 0);

/// An account `a` with its last entry `e`, which is its state; without one it is as it opened.
inline constexpr std::string_view account_columns =
    "a.id, a.asset, coalesce(e.status, 1::smallint), coalesce(e.balance_after, 0), "
    "coalesce(e.held_after, 0), coalesce(e.seq, 0), coalesce(e.recorded_at, a.opened_at), "
    "CASE WHEN e.seq IS NULL THEN a.opening_floor ELSE e.floor END, "
    "CASE WHEN e.seq IS NULL THEN a.opening_ceiling ELSE e.ceiling END, "
    "CASE WHEN e.held_after > 0 THEN (SELECT min(h.expires_at) FROM holds h WHERE "
    "h.shard = a.shard AND h.account = a.id AND h.status = 1) END, "
    "a.opening_floor, a.opening_ceiling, a.opened_at, a.metadata";
inline constexpr int account_column_count = 14;
/// Goes behind `accounts a`.
inline constexpr std::string_view last_entry =
    "LEFT JOIN LATERAL (SELECT * FROM entries l WHERE l.shard = a.shard AND l.account = a.id "
    "ORDER BY l.seq DESC LIMIT 1) e ON true";
[[nodiscard]] ledger::Account read_account(const Row& row, int from = 0);

/// Of an entry `e`.
inline constexpr std::string_view entry_columns =
    "e.account, e.seq, e.kind, e.amount, e.held_change, e.balance_after, e.held_after, "
    "e.recorded_at, e.effective_at, e.key, e.fingerprint, e.format, e.subject, e.subject_seq, "
    "e.target, e.reverses, e.expires_at, e.floor, e.ceiling, e.reason, e.metadata";
inline constexpr int entry_column_count = 21;
[[nodiscard]] ledger::Entry read_entry(const Row& row, int from = 0);

/// Of a hold `h`.
inline constexpr std::string_view hold_columns =
    "h.account, h.opened_seq, h.amount, h.committed, h.status, h.expires_at, h.closed_seq";
[[nodiscard]] ledger::Hold read_hold(const Row& row);

/// Of a refusal `r`.
inline constexpr std::string_view refusal_columns =
    "r.subject, r.key, r.fingerprint, r.format, r.code, r.at_account, r.n1, r.n2, r.n3, "
    "r.recorded_at";
[[nodiscard]] ledger::StoredRefusal read_refusal(const Row& row, int from = 0);

}  // namespace passbook::store::postgres
