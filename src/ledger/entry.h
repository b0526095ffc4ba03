// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/amount.h"
#include "base/id.h"
#include "base/instant.h"

namespace passbook::ledger {

/// Why an account changed. The numbers are stored and never reused.
enum class EntryKind : std::uint8_t {
    grant = 1,
    spend = 2,
    transfer = 3,
    transaction = 4,
    reverse = 5,
    hold = 6,
    commit = 7,
    void_hold = 8,
    expire = 9,
    freeze = 10,
    unfreeze = 11,
    close = 12,
    limits = 13,
};

/// The word for people, JSON and CSV; `void_hold` reads `void`.
[[nodiscard]] std::string_view name_of(EntryKind kind) noexcept;
[[nodiscard]] std::optional<EntryKind> entry_kind_of(std::string_view name) noexcept;

/// First 16 bytes of SHA-256 of the canonical command.
using Fingerprint = std::array<std::uint8_t, 16>;

/// How the rows of a request are turned into its answer. A release may add a format but never
/// changes how an old one is rendered.
inline constexpr int answer_format = 1;

/// What the entry on the subject carries: the request it answers.
struct RequestMark {
    Key key;
    Fingerprint fingerprint{};
    int format = answer_format;

    friend bool operator==(const RequestMark&, const RequestMark&) = default;
};

struct Limits {
    std::optional<Amount> floor;
    std::optional<Amount> ceiling;

    friend bool operator==(const Limits&, const Limits&) = default;
};

/// One line of an account's passbook: one change of its balance, held, status or limits.
struct Entry {
    AccountId account;
    std::int64_t seq = 0;
    EntryKind kind = EntryKind::grant;
    Amount amount = 0;
    Amount held_change = 0;
    Amount balance_after = 0;
    Amount held_after = 0;
    Instant recorded_at;
    std::optional<Instant> effective_at;
    std::optional<RequestMark> request;  ///< On the subject, where the request has a key.
    std::optional<EntryId> subject;      ///< On the other accounts of a transaction: the subject's.
    std::optional<std::int64_t> target;  ///< seq of the subject's entry that is acted on: the hold
                                         ///< of a commit, void, expire; the original of a reverse.
    std::optional<std::int64_t> reverses;  ///< seq of the entry of this account that is taken back.
    std::optional<Instant> expires_at;     ///< Kind `hold`.
    std::optional<Limits> limits;          ///< Kind `limits`: floor and ceiling from here on.
    std::string reason;                    ///< Empty where none was given.
    std::string metadata;                  ///< Canonical JSON on the subject; empty where none.

    [[nodiscard]] EntryId id() const {
        return {account, seq};
    }

    friend bool operator==(const Entry&, const Entry&) = default;
};

/// The transaction that the entry is part of; nothing where it answers no request.
[[nodiscard]] std::optional<EntryId> transaction_of(const Entry& entry);

/// All entries of one transaction: the subject's first, the others in order of their account ids.
struct Record {
    std::vector<Entry> entries;

    [[nodiscard]] const Entry& subject() const {
        return entries.front();
    }

    friend bool operator==(const Record&, const Record&) = default;
};

}  // namespace passbook::ledger
