// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/rows.h"

#include <fmt/format.h>

#include "base/failure.h"

namespace passbook::store::postgres {
namespace {

std::string text_of(const Row& row, int column) {
    return std::string(row.text(column));
}

/// A number outside the enumeration was written by a newer release or by nobody we know.
template <class Enum>
Enum enum_of(const Row& row, int column, Enum last) {
    const std::int64_t number = row.integer(column);
    if (number < 1 || number > static_cast<std::int64_t>(last)) {
        throw Failure(FailureKind::broken,
                      fmt::format("the store has a kind {} that is unknown", number));
    }
    return static_cast<Enum>(number);
}

}  // namespace

ledger::Asset read_asset(const Row& row, int from) {
    ledger::Asset asset{.code = AssetCode::trusted(text_of(row, from))};
    asset.scale = static_cast<int>(row.integer(from + 1));
    asset.balanced = row.boolean(from + 2);
    asset.open_on_first_credit = row.boolean(from + 3);
    asset.floor = row.optional_integer(from + 4);
    asset.ceiling = row.optional_integer(from + 5);
    asset.used = row.boolean(from + 6);
    return asset;
}

ledger::Account read_account(const Row& row, int from) {
    ledger::Account account{.id = AccountId::trusted(text_of(row, from)),
                            .asset = AssetCode::trusted(text_of(row, from + 1))};
    account.status = enum_of(row, from + 2, ledger::AccountStatus::closed);
    account.balance = row.integer(from + 3);
    account.held = row.integer(from + 4);
    account.seq = row.integer(from + 5);
    account.recorded_at = row.instant(from + 6);
    account.limits = {row.optional_integer(from + 7), row.optional_integer(from + 8)};
    account.wake_at = row.optional_instant(from + 9);
    account.opening_limits = {row.optional_integer(from + 10), row.optional_integer(from + 11)};
    account.opened_at = row.instant(from + 12);
    account.metadata = text_of(row, from + 13);
    return account;
}

ledger::Entry read_entry(const Row& row, int from) {
    ledger::Entry entry{.account = AccountId::trusted(text_of(row, from))};
    entry.seq = row.integer(from + 1);
    entry.kind = enum_of(row, from + 2, ledger::EntryKind::limits);
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

ledger::Hold read_hold(const Row& row) {
    ledger::Hold hold{.opened = {AccountId::trusted(text_of(row, 0)), row.integer(1)}};
    hold.amount = row.integer(2);
    hold.committed = row.integer(3);
    hold.status = enum_of(row, 4, ledger::HoldStatus::expired);
    hold.expires_at = row.instant(5);
    hold.closed_seq = row.optional_integer(6);
    return hold;
}

ledger::StoredRefusal read_refusal(const Row& row, int from) {
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

}  // namespace passbook::store::postgres
