// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codes.h"
#include "base/failure.h"
#include "ledger/account.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "ledger/state.h"

/// Rows of a server's tables as values of the ledger. Each `…_columns` lists the columns in the
/// order in which its `read_` expects them, the first at column `from`.
///
/// A Row gives, by column: is_null, integer, optional_integer, boolean, text, hash, instant and
/// optional_instant. A Result gives rows(), columns() and row(at).

namespace passbook::store {

/// Of an asset `s`.
inline constexpr std::string_view asset_columns =
    "s.code, s.scale, s.balanced, s.open_on_first_credit, s.floor, s.ceiling, s.used";

/// An account `a` as it opened.
inline constexpr std::string_view opening_columns =
    "a.id, a.asset, a.opened_at, a.opening_floor, a.opening_ceiling, a.metadata";
inline constexpr int opening_column_count = 6;

/// What an account has become by its last entry `e`.
inline constexpr std::string_view standing_columns =
    "e.account, e.status, e.balance_after, e.held_after, e.seq, e.recorded_at, e.floor, e.ceiling, "
    "CASE WHEN e.held_after > 0 THEN (SELECT min(h.expires_at) FROM holds h WHERE "
    "h.shard = e.shard AND h.account = e.account AND h.status = 1) END";

/// An account `a` with its last entry `e`, if it has one.
inline const std::string account_columns = fmt::format("{}, {}", opening_columns, standing_columns);
inline constexpr int account_column_count = 15;

/// Of an entry `e`.
inline constexpr std::string_view entry_columns =
    "e.account, e.seq, e.kind, e.amount, e.held_change, e.balance_after, e.held_after, "
    "e.recorded_at, e.effective_at, e.key, e.fingerprint, e.format, e.subject, e.subject_seq, "
    "e.target, e.reverses, e.expires_at, e.floor, e.ceiling, e.reason, e.metadata";
inline constexpr int entry_column_count = 21;

/// Of a hold `h`.
inline constexpr std::string_view hold_columns =
    "h.account, h.opened_seq, h.amount, h.committed, h.status, h.expires_at, h.closed_seq";

/// Of a refusal `r`.
inline constexpr std::string_view refusal_columns =
    "r.subject, r.key, r.fingerprint, r.format, r.code, r.at_account, r.n1, r.n2, r.n3, "
    "r.recorded_at";

/// A number outside the enumeration was written by a newer release or by nobody we know.
template <class Enum>
Enum enum_of(std::int64_t number, Enum last) {
    if (number < 1 || number > static_cast<std::int64_t>(last)) {
        throw Failure(FailureKind::broken,
                      fmt::format("the store has a kind {} that is unknown", number));
    }
    return static_cast<Enum>(number);
}

template <class Row>
std::string text_of(const Row& row, int column) {
    return std::string(row.text(column));
}

template <class Row>
ledger::Asset read_asset(const Row& row, int from = 0) {
    ledger::Asset asset{.code = AssetCode::trusted(text_of(row, from))};
    asset.scale = static_cast<int>(row.integer(from + 1));
    asset.balanced = row.boolean(from + 2);
    asset.open_on_first_credit = row.boolean(from + 3);
    asset.floor = row.optional_integer(from + 4);
    asset.ceiling = row.optional_integer(from + 5);
    asset.used = row.boolean(from + 6);
    return asset;
}

template <class Row>
ledger::Account read_opening(const Row& row, int from = 0) {
    ledger::Account account{.id = AccountId::trusted(text_of(row, from)),
                            .asset = AssetCode::trusted(text_of(row, from + 1))};
    account.opened_at = row.instant(from + 2);
    account.recorded_at = account.opened_at;
    account.opening_limits = {row.optional_integer(from + 3), row.optional_integer(from + 4)};
    account.limits = account.opening_limits;
    account.metadata = text_of(row, from + 5);
    return account;
}

template <class Row>
void read_standing(const Row& row, ledger::Account& account, int from = 0) {
    account.status = enum_of(row.integer(from + 1), ledger::AccountStatus::closed);
    account.balance = row.integer(from + 2);
    account.held = row.integer(from + 3);
    account.seq = row.integer(from + 4);
    account.recorded_at = row.instant(from + 5);
    account.limits = {row.optional_integer(from + 6), row.optional_integer(from + 7)};
    account.wake_at = row.optional_instant(from + 8);
}

template <class Row>
ledger::Account read_account(const Row& row, int from = 0) {
    ledger::Account account = read_opening(row, from);
    if (!row.is_null(from + opening_column_count)) {
        read_standing(row, account, from + opening_column_count);
    }
    return account;
}

template <class Row>
ledger::Entry read_entry(const Row& row, int from = 0) {
    ledger::Entry entry{.account = AccountId::trusted(text_of(row, from))};
    entry.seq = row.integer(from + 1);
    entry.kind = enum_of(row.integer(from + 2), ledger::EntryKind::limits);
    entry.amount = row.integer(from + 3);
    entry.held_change = row.integer(from + 4);
    entry.balance_after = row.integer(from + 5);
    entry.held_after = row.integer(from + 6);
    entry.recorded_at = row.instant(from + 7);
    entry.effective_at = row.optional_instant(from + 8);
    if (!row.is_null(from + 9)) {
        entry.request =
            ledger::RequestMark{Key::trusted(text_of(row, from + 9)), row.hash(from + 10),
                                static_cast<int>(row.integer(from + 11))};
    }
    if (!row.is_null(from + 12)) {
        entry.subject =
            EntryId{AccountId::trusted(text_of(row, from + 12)), row.integer(from + 13)};
    }
    entry.target = row.optional_integer(from + 14);
    entry.reverses = row.optional_integer(from + 15);
    entry.expires_at = row.optional_instant(from + 16);
    if (entry.kind == ledger::EntryKind::limits) {
        entry.limits =
            ledger::Limits{row.optional_integer(from + 17), row.optional_integer(from + 18)};
    }
    entry.reason = text_of(row, from + 19);
    entry.metadata = text_of(row, from + 20);
    return entry;
}

template <class Row>
ledger::Hold read_hold(const Row& row, int from = 0) {
    ledger::Hold hold{.opened = {AccountId::trusted(text_of(row, from)), row.integer(from + 1)}};
    hold.amount = row.integer(from + 2);
    hold.committed = row.integer(from + 3);
    hold.status = enum_of(row.integer(from + 4), ledger::HoldStatus::expired);
    hold.expires_at = row.instant(from + 5);
    hold.closed_seq = row.optional_integer(from + 6);
    return hold;
}

template <class Row>
ledger::StoredRefusal read_refusal(const Row& row, int from = 0) {
    const auto code = code_numbered(static_cast<std::uint16_t>(row.integer(from + 4)));
    if (!code) {
        throw Failure(FailureKind::broken, "the store has a refusal code that is unknown");
    }
    ledger::StoredRefusal refusal{
        .subject = AccountId::trusted(text_of(row, from)),
        .request = {Key::trusted(text_of(row, from + 1)), row.hash(from + 2),
                    static_cast<int>(row.integer(from + 3))},
        .refusal = {*code,
                    {},
                    {row.integer(from + 6), row.integer(from + 7), row.integer(from + 8)}},
        .recorded_at = row.instant(from + 9)};
    if (!row.is_null(from + 5)) {
        refusal.refusal.account = AccountId::trusted(text_of(row, from + 5));
    }
    return refusal;
}

/// Every row of a result, each through `read`.
template <class Result, class Read>
auto read_all(const Result& result, Read read) {
    std::vector<decltype(read(result.row(0)))> values;
    values.reserve(static_cast<std::size_t>(result.rows()));
    for (int i = 0; i < result.rows(); ++i) {
        values.push_back(read(result.row(i)));
    }
    return values;
}

// Answers to look-ups of many: a row begins with the place, from 1, of what was asked for ---------

template <class Row>
std::size_t place_of(const Row& row) {
    return static_cast<std::size_t>(row.integer(0) - 1);
}

/// Puts originals together from rows of (place, entry columns) and maybe the sum of the entry's
/// reversals, which come in any order.
class Originals {
public:
    explicit Originals(std::size_t asked) : lines_(asked) {}

    template <class Result>
    void add(const Result& result) {
        for (int i = 0; i < result.rows(); ++i) {
            add_row(result, i, place_of(result.row(i)));
        }
    }

    /// The same, where the places of the rows are those within `places`.
    template <class Result>
    void add(const Result& result, const std::vector<std::size_t>& places) {
        for (int i = 0; i < result.rows(); ++i) {
            add_row(result, i, places.at(place_of(result.row(i))));
        }
    }

    /// Of the entries that were added, those that can have legs.
    struct Subjects {
        std::vector<EntryId> ids;
        std::vector<std::size_t> places;
    };
    [[nodiscard]] Subjects with_legs() const;

    /// What each place has, nothing where there is none: the subject's entry first, the legs by
    /// their account ids.
    [[nodiscard]] std::vector<std::optional<ledger::Original>> take() &&;

private:
    using Line = std::pair<ledger::Entry, Amount>;

    template <class Result>
    void add_row(const Result& result, int at, std::size_t place) {
        const auto row = result.row(at);
        const bool has_reversals = result.columns() > 1 + entry_column_count;
        lines_.at(place).emplace_back(read_entry(row, 1),
                                      has_reversals ? row.integer(1 + entry_column_count) : 0);
    }

    std::vector<std::vector<Line>> lines_;
};

/// From rows of (place, refusal columns): what each of `asked` places has, nothing where none.
template <class Result>
std::vector<std::optional<ledger::StoredRefusal>> read_refusals(const Result& result,
                                                                std::size_t asked) {
    std::vector<std::optional<ledger::StoredRefusal>> refusals(asked);
    for (int i = 0; i < result.rows(); ++i) {
        const auto row = result.row(i);
        refusals[place_of(row)] = read_refusal(row, 1);
    }
    return refusals;
}

}  // namespace passbook::store
