// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/rows.h"

#include <fmt/format.h>

#include "base/failure.h"

namespace passbook::store::sqlite {
namespace {

std::string text_of(const Statement& row, int column) {
    return std::string(row.text(column));
}

/// A number outside the enumeration was written by a newer release or by nobody we know.
template <class Enum>
Enum enum_of(const Statement& row, int column, Enum last) {
    const std::int64_t number = row.integer(column);
    if (number < 1 || number > static_cast<std::int64_t>(last)) {
        throw Failure(FailureKind::broken,
                      fmt::format("the store has a kind {} that is unknown", number));
    }
    return static_cast<Enum>(number);
}

}  // namespace

ledger::Asset read_asset(const Statement& row) {
    ledger::Asset asset{.code = AssetCode::trusted(text_of(row, 0))};
    asset.scale = static_cast<int>(row.integer(1));
    asset.balanced = row.integer(2) != 0;
    asset.open_on_first_credit = row.integer(3) != 0;
    asset.floor = row.optional_integer(4);
    asset.ceiling = row.optional_integer(5);
    asset.used = row.integer(6) != 0;
    return asset;
}

ledger::Account read_account(const Statement& row) {
    ledger::Account account{.id = AccountId::trusted(text_of(row, 0)),
                            .asset = AssetCode::trusted(text_of(row, 1))};
    account.status = enum_of(row, 2, ledger::AccountStatus::closed);
    account.balance = row.integer(3);
    account.held = row.integer(4);
    account.seq = row.integer(5);
    account.recorded_at = row.instant(6);
    account.limits = {row.optional_integer(7), row.optional_integer(8)};
    account.wake_at = row.optional_instant(9);
    account.opening_limits = {row.optional_integer(10), row.optional_integer(11)};
    account.opened_at = row.instant(12);
    account.metadata = text_of(row, 13);
    return account;
}

ledger::Entry read_entry(const Statement& row) {
    ledger::Entry entry{.account = AccountId::trusted(text_of(row, 0))};
    entry.seq = row.integer(1);
    entry.kind = enum_of(row, 2, ledger::EntryKind::limits);
    entry.amount = row.integer(3);
    entry.held_change = row.integer(4);
    entry.balance_after = row.integer(5);
    entry.held_after = row.integer(6);
    entry.recorded_at = row.instant(7);
    entry.effective_at = row.optional_instant(8);
    if (!row.is_null(9)) {
        entry.request = ledger::RequestMark{Key::trusted(text_of(row, 9)), row.hash(10),
                                            static_cast<int>(row.integer(11))};
    }
    if (!row.is_null(12)) {
        entry.subject = EntryId{AccountId::trusted(text_of(row, 12)), row.integer(13)};
    }
    entry.target = row.optional_integer(14);
    entry.reverses = row.optional_integer(15);
    entry.expires_at = row.optional_instant(16);
    if (entry.kind == ledger::EntryKind::limits) {
        entry.limits = ledger::Limits{row.optional_integer(17), row.optional_integer(18)};
    }
    entry.reason = text_of(row, 19);
    entry.metadata = text_of(row, 20);
    return entry;
}

ledger::Hold read_hold(const Statement& row) {
    ledger::Hold hold{.opened = {AccountId::trusted(text_of(row, 0)), row.integer(1)}};
    hold.amount = row.integer(2);
    hold.committed = row.integer(3);
    hold.status = enum_of(row, 4, ledger::HoldStatus::expired);
    hold.expires_at = row.instant(5);
    hold.closed_seq = row.optional_integer(6);
    return hold;
}

ledger::StoredRefusal read_refusal(const Statement& row) {
    const auto code = code_numbered(static_cast<std::uint16_t>(row.integer(4)));
    if (!code) {
        throw Failure(FailureKind::broken, "the store has a refusal code that is unknown");
    }
    ledger::StoredRefusal refusal{
        .subject = AccountId::trusted(text_of(row, 0)),
        .request = {Key::trusted(text_of(row, 1)), row.hash(2), static_cast<int>(row.integer(3))},
        .refusal = {*code, {}, {row.integer(6), row.integer(7), row.integer(8)}},
        .recorded_at = row.instant(9)};
    if (!row.is_null(5)) {
        refusal.refusal.account = AccountId::trusted(text_of(row, 5));
    }
    return refusal;
}

}  // namespace passbook::store::sqlite
