// SPDX-License-Identifier: Apache-2.0
// The one table of stable problem codes. The HTTP answers, the stored refusals, docs/errors.md and
// the console all read it, so a code means the same thing everywhere. A number is never given to
// another code and a name never changes: both are kept in stores and matched by clients.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace passbook {

enum class Code : std::uint16_t {
    // The request itself is at fault: nothing was looked at, nothing is stored.
    malformed_request = 100,
    malformed_json = 101,
    duplicate_field = 102,
    unknown_field = 103,
    missing_field = 104,
    wrong_type = 105,
    amount_invalid = 106,
    invalid_value = 107,
    invalid_id = 108,
    invalid_key = 109,
    invalid_time = 110,
    invalid_parameter = 111,
    invalid_cursor = 112,
    unknown_kind = 113,
    idempotency_key_missing = 114,
    idempotency_key_not_taken = 115,
    duplicate_account = 116,
    same_account = 117,
    method_not_allowed = 130,
    request_timeout = 131,
    payload_too_large = 132,
    uri_too_long = 133,
    unsupported_media_type = 134,
    expectation_failed = 135,
    headers_too_large = 136,

    // What the request names does not exist: nothing is stored, no key is burned.
    not_found = 200,
    account_not_found = 201,
    asset_not_found = 202,
    transaction_not_found = 203,
    hold_not_found = 204,
    request_not_found = 205,

    // Business refusals: final, and kept with the key.
    insufficient_balance = 300,
    ceiling_exceeded = 301,
    balance_out_of_range = 302,
    account_frozen = 303,
    account_closed = 304,
    asset_mismatch = 305,
    unbalanced_transaction = 306,
    already_reversed = 307,
    reversal_too_large = 308,
    reversal_mismatch = 309,
    not_reversible = 310,
    hold_too_large = 311,
    idempotency_key_reused = 312,

    // The state of the thing named forbids it.
    idempotency_key_in_use = 400,
    hold_not_open = 401,
    account_not_empty = 402,
    limit_in_use = 403,
    immutable = 404,
    owned = 405,
    lock_busy = 406,
    lock_not_owner = 407,
    lock_expired = 408,

    // Failures: ours, never a decision about the request.
    busy = 500,
    unavailable = 501,
    outcome_unknown = 502,
    broken = 503,
    lock_unavailable = 504,
};

enum class CodeKind : std::uint8_t { malformed, not_found, refusal, conflict, failure };

struct CodeInfo {
    Code code;
    std::string_view name;  ///< as in JSON, metrics and stored rows
    int status;             ///< HTTP status
    CodeKind kind;
    bool stored;               ///< kept with the idempotency key and replayed for ever
    int retry_after_s;         ///< 0: repeating the same request later cannot help
    std::string_view title;    ///< short and fixed; the `title` of the problem
    std::string_view meaning;  ///< one sentence for the documentation page
};

/// Every code, in the order of its number.
[[nodiscard]] std::span<const CodeInfo> all_codes() noexcept;

[[nodiscard]] const CodeInfo& info(Code code) noexcept;
[[nodiscard]] std::string_view name(Code code) noexcept;
[[nodiscard]] std::string_view name(CodeKind kind) noexcept;

/// The code stored under that name or number; nothing where this release does not know it.
[[nodiscard]] std::optional<Code> code_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Code> code_numbered(std::uint16_t number) noexcept;

}  // namespace passbook
