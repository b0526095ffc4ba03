// SPDX-License-Identifier: Apache-2.0
#include "base/codes.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace passbook {
namespace {

using enum Code;

constexpr auto malformed = CodeKind::malformed;
constexpr auto missing = CodeKind::not_found;
constexpr auto refusal = CodeKind::refusal;
constexpr auto conflict = CodeKind::conflict;
constexpr auto failure = CodeKind::failure;

constexpr bool kept = true;
constexpr bool not_kept = false;

// Columns: code, name, status, kind, kept with the key, Retry-After in seconds, title, meaning.
constexpr auto table = std::to_array<CodeInfo>({
    {malformed_request, "malformed_request", 400, malformed, not_kept, 0, "Malformed request",
     "The HTTP message breaks a rule of the protocol; the connection is closed."},
    {malformed_json, "malformed_json", 400, malformed, not_kept, 0, "Malformed JSON",
     "The body is not one JSON document in UTF-8, or nests deeper than 16 levels."},
    {duplicate_field, "duplicate_field", 400, malformed, not_kept, 0, "Duplicate field",
     "An object of the body names the same field twice."},
    {unknown_field, "unknown_field", 400, malformed, not_kept, 0, "Unknown field",
     "The body has a field that this request does not take."},
    {missing_field, "missing_field", 400, malformed, not_kept, 0, "Missing field",
     "A field that this request needs is absent."},
    {wrong_type, "wrong_type", 400, malformed, not_kept, 0, "Wrong type",
     "A field holds another JSON type than the one it takes."},
    {amount_invalid, "amount_invalid", 400, malformed, not_kept, 0, "Invalid amount",
     "An amount or a limit must be a whole number in digits alone, within plus or minus "
     "9007199254740991; what is moved must not be zero, and must be positive where the request "
     "says the direction."},
    {invalid_value, "invalid_value", 400, malformed, not_kept, 0, "Invalid value",
     "A field has the right type but a value outside its bounds."},
    {invalid_id, "invalid_id", 400, malformed, not_kept, 0, "Invalid id",
     "An id is 1 to 64 characters of A-Z a-z 0-9 . _ : @ + - and begins with a letter or a digit."},
    {invalid_key, "invalid_key", 400, malformed, not_kept, 0, "Invalid idempotency key",
     "An idempotency key is 1 to 128 visible ASCII characters other than the quotation mark and "
     "the "
     "backslash, given once."},
    {invalid_time, "invalid_time", 400, malformed, not_kept, 0, "Invalid time",
     "A time is RFC 3339 with an offset, such as 2026-01-31T09:00:00Z."},
    {invalid_parameter, "invalid_parameter", 400, malformed, not_kept, 0, "Invalid parameter",
     "A parameter of the query string is unknown, repeated or out of bounds."},
    {invalid_cursor, "invalid_cursor", 400, malformed, not_kept, 0, "Invalid cursor",
     "The cursor was not made by this server for this list."},
    {unknown_kind, "unknown_kind", 400, malformed, not_kept, 0, "Unknown kind",
     "The kind of a command or of a subject is none that the server knows."},
    {idempotency_key_missing, "idempotency_key_missing", 400, malformed, not_kept, 0,
     "Idempotency key missing",
     "Every write that moves value needs the header Idempotency-Key (in a batch: the field "
     "idempotency_key)."},
    {idempotency_key_not_taken, "idempotency_key_not_taken", 400, malformed, not_kept, 0,
     "Idempotency key not taken",
     "This request is repeatable by itself or carries keys inside, so it takes no "
     "Idempotency-Key."},
    {duplicate_account, "duplicate_account", 400, malformed, not_kept, 0, "Duplicate account",
     "An account stands more than once among the postings of one transaction."},
    {same_account, "same_account", 400, malformed, not_kept, 0, "Same account",
     "The two sides of the request name the same account."},
    {method_not_allowed, "method_not_allowed", 405, malformed, not_kept, 0, "Method not allowed",
     "The path exists but does not take this method; the header Allow lists those it takes."},
    {request_timeout, "request_timeout", 408, malformed, not_kept, 0, "Request timeout",
     "The request did not arrive whole within its deadline; the connection is closed."},
    {payload_too_large, "payload_too_large", 413, malformed, not_kept, 0, "Payload too large",
     "The body is over 64 KiB, or for a batch over 8 MiB or 10,000 commands."},
    {uri_too_long, "uri_too_long", 414, malformed, not_kept, 0, "URI too long",
     "The request target is longer than 4 KiB."},
    {unsupported_media_type, "unsupported_media_type", 415, malformed, not_kept, 0,
     "Unsupported media type",
     "A body must be sent as Content-Type: application/json, in UTF-8 and without a content "
     "coding."},
    {expectation_failed, "expectation_failed", 417, malformed, not_kept, 0, "Expectation failed",
     "The header Expect takes 100-continue and nothing else."},
    {headers_too_large, "headers_too_large", 431, malformed, not_kept, 0, "Headers too large",
     "The request line and headers together are over 8 KiB; the connection is closed."},

    {not_found, "not_found", 404, missing, not_kept, 0, "Not found",
     "There is nothing at this path."},
    {account_not_found, "account_not_found", 404, missing, not_kept, 0, "Account not found",
     "The account does not exist, and this request does not open one."},
    {asset_not_found, "asset_not_found", 404, missing, not_kept, 0, "Asset not found",
     "The asset does not exist."},
    {transaction_not_found, "transaction_not_found", 404, missing, not_kept, 0,
     "Transaction not found", "The transaction does not exist."},
    {hold_not_found, "hold_not_found", 404, missing, not_kept, 0, "Hold not found",
     "The hold does not exist."},
    {request_not_found, "request_not_found", 404, missing, not_kept, 0, "Request not found",
     "No outcome is stored under this subject and key; sending the request again is safe."},

    {insufficient_balance, "insufficient_balance", 422, refusal, kept, 0, "Insufficient balance",
     "The balance less what is held, less the amount, would be below the floor of the account."},
    {ceiling_exceeded, "ceiling_exceeded", 422, refusal, kept, 0, "Ceiling exceeded",
     "The balance with the amount would be above the ceiling of the account."},
    {balance_out_of_range, "balance_out_of_range", 422, refusal, kept, 0, "Balance out of range",
     "The balance would leave the range of plus or minus 9007199254740991."},
    {account_frozen, "account_frozen", 422, refusal, kept, 0, "Account frozen",
     "The account is frozen: it takes no new postings, holds or commits."},
    {account_closed, "account_closed", 422, refusal, kept, 0, "Account closed",
     "The account is closed, which is final."},
    {asset_mismatch, "asset_mismatch", 422, refusal, kept, 0, "Asset mismatch",
     "The account keeps another asset than the one this request moves."},
    {unbalanced_transaction, "unbalanced_transaction", 422, refusal, kept, 0,
     "Unbalanced transaction",
     "Every transaction in this asset must add up to zero, and this one does not."},
    {already_reversed, "already_reversed", 422, refusal, kept, 0, "Already reversed",
     "Nothing of the transaction is left to reverse."},
    {reversal_too_large, "reversal_too_large", 422, refusal, kept, 0, "Reversal too large",
     "The reversal is more than what is left of the transaction."},
    {reversal_mismatch, "reversal_mismatch", 422, refusal, kept, 0, "Reversal mismatch",
     "The reversal does not fit the transaction: an account it did not touch, the same sign, or an "
     "amount where only postings can say what to reverse."},
    {not_reversible, "not_reversible", 422, refusal, kept, 0, "Not reversible",
     "A reversal cannot be reversed, nor what moved no balance."},
    {hold_too_large, "hold_too_large", 422, refusal, kept, 0, "Hold too large",
     "The commit asks for more than the hold holds."},
    {idempotency_key_reused, "idempotency_key_reused", 422, refusal, not_kept, 0,
     "Idempotency key reused",
     "The key already stands for another command of the same subject; nothing was changed."},

    {idempotency_key_in_use, "idempotency_key_in_use", 409, conflict, not_kept, 1,
     "Idempotency key in use",
     "A request with this key is still being worked on; ask again with the same key."},
    {hold_not_open, "hold_not_open", 409, conflict, kept, 0, "Hold not open",
     "The hold is committed, voided or expired already."},
    {account_not_empty, "account_not_empty", 409, conflict, kept, 0, "Account not empty",
     "An account closes only when its balance and what is held are both zero."},
    {limit_in_use, "limit_in_use", 409, conflict, not_kept, 0, "Limit in use",
     "The floor would be above the available balance, or the ceiling below the balance."},
    {immutable, "immutable", 409, conflict, not_kept, 0, "Immutable",
     "The asset of an account, and scale and balanced of an asset in use, never change."},
    {owned, "owned", 409, conflict, kept, 0, "Owned",
     "The transaction belongs to a hold, reservation, order or coupon and is undone through it."},
    {lock_busy, "lock_busy", 409, conflict, not_kept, 1, "Lock busy",
     "Somebody else holds the lock, and did not let go while the request waited."},
    {lock_not_owner, "lock_not_owner", 409, conflict, not_kept, 0, "Not the owner of the lock",
     "Somebody else holds the lock by now; stop the work that it protected."},
    {lock_expired, "lock_expired", 409, conflict, not_kept, 0, "Lock expired",
     "Nobody holds the lock any more; stop the work that it protected."},

    {busy, "busy", 503, failure, not_kept, 1, "Busy",
     "The server has more to do than it can queue, or another keeps the lock before its writes; "
     "nothing was done, send it again later."},
    {unavailable, "unavailable", 503, failure, not_kept, 2, "Unavailable",
     "The store, or the lock before its writes, cannot be reached, or the server is stopping; "
     "nothing was done, send it again later."},
    {outcome_unknown, "outcome_unknown", 503, failure, not_kept, 1, "Outcome unknown",
     "The link to the store broke while committing; the same key tells what happened."},
    {broken, "broken", 500, failure, not_kept, 0, "Broken",
     "A fault of the server or its store; nothing of this request was committed."},
    {lock_unavailable, "lock_unavailable", 503, failure, not_kept, 1, "Lock service unavailable",
     "The lock service did not answer, so nothing is known of the lock: a release may have taken "
     "effect, and what was acquired unknown to anybody ends with its TTL."},
});

constexpr bool ordered() {
    for (std::size_t i = 1; i < table.size(); ++i) {
        if (table[i - 1].code >= table[i].code) {
            return false;
        }
    }
    return true;
}
static_assert(ordered(), "the table is searched by number, so it must be in the order of the enum");

}  // namespace

std::span<const CodeInfo> all_codes() noexcept {
    return table;
}

std::optional<Code> code_numbered(std::uint16_t number) noexcept {
    const auto* at = std::lower_bound(table.begin(), table.end(), number,
                                      [](const CodeInfo& row, std::uint16_t wanted) {
                                          return static_cast<std::uint16_t>(row.code) < wanted;
                                      });
    if (at == table.end() || static_cast<std::uint16_t>(at->code) != number) {
        return std::nullopt;
    }
    return at->code;
}

std::optional<Code> code_named(std::string_view name) noexcept {
    for (const CodeInfo& row : table) {
        if (row.name == name) {
            return row.code;
        }
    }
    return std::nullopt;
}

const CodeInfo& info(Code code) noexcept {
    const auto* at =
        std::lower_bound(table.begin(), table.end(), code,
                         [](const CodeInfo& row, Code wanted) { return row.code < wanted; });
    if (at == table.end() || at->code != code) {
        std::abort();  // a number cast to Code without code_numbered(): a bug of the caller
    }
    return *at;
}

std::string_view name(Code code) noexcept {
    return info(code).name;
}

std::string_view name(CodeKind kind) noexcept {
    switch (kind) {
        case CodeKind::malformed:
            return "malformed";
        case CodeKind::not_found:
            return "not_found";
        case CodeKind::refusal:
            return "refusal";
        case CodeKind::conflict:
            return "conflict";
        case CodeKind::failure:
            return "failure";
    }
    std::abort();
}

}  // namespace passbook
