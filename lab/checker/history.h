// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// What clients asked of a ledger and what they were told, with dumps of what it stored. The
/// checker decides on it, without knowing how any ledger works. docs/lab.md gives its form in a
/// file.

namespace passbook::lab::checker {

/// A text, once, by number; 0 is the empty text.
using Id = std::uint32_t;

class Names {
public:
    Names() {
        (void)id("");
    }
    Names(Names&&) noexcept = default;
    Names& operator=(Names&&) noexcept = default;
    Names(const Names&) = delete;  // The map points into the texts.
    Names& operator=(const Names&) = delete;
    ~Names() = default;

    [[nodiscard]] Id id(std::string_view text);
    [[nodiscard]] const std::string& text(Id id) const {
        return texts_.at(id);
    }

private:
    std::deque<std::string> texts_;
    std::unordered_map<std::string_view, Id> ids_;
};

/// Nanoseconds of one monotonic clock.
using Time = std::uint64_t;
inline constexpr Time never = std::numeric_limits<Time>::max();

enum class Op : std::uint8_t {
    grant,
    spend,
    transfer,
    transaction,
    reverse,
    hold,
    commit,
    void_hold,
    read,  ///< Of one account, or of several as of one instant.
};

enum class Verdict : std::uint8_t {
    ok,    ///< It took effect, now or when it was first sent.
    fail,  ///< A documented refusal: it did not and never will.
    info,  ///< Anything else, no answer included: it may or may not have.
};

/// What is asked of one account.
struct Leg {
    Id account = 0;
    std::int64_t amount = 0;
    std::int64_t held_change = 0;

    friend bool operator==(const Leg&, const Leg&) = default;
};

/// A state that an answer shows.
struct Seen {
    Id account = 0;
    std::int64_t seq = 0;
    std::int64_t balance = 0;
    std::int64_t held = 0;
};

/// One sending and what came back. What is sent again under its key is a call of its own.
struct Call {
    Time invoked = 0;
    Time returned = never;
    std::uint32_t process = 0;
    Op op = Op::read;
    Verdict verdict = Verdict::info;
    Id subject = 0;  ///< The account in whose key space `key` lies.
    Id key = 0;
    Id code = 0;             ///< Of a refusal.
    Id transaction = 0;      ///< Where it took effect.
    Id target = 0;           ///< The hold or transaction that a commit, void or reverse acts on.
    std::uint64_t body = 0;  ///< A hash of the answer's body; 0 where none was taken.
    std::uint32_t legs_begin = 0;
    std::uint32_t legs_end = 0;
    std::uint32_t seen_begin = 0;
    std::uint32_t seen_end = 0;
};

enum class EntryKind : std::uint8_t {
    grant,
    spend,
    transfer,
    transaction,
    reverse,
    hold,
    commit,
    void_hold,
    expire,
    other,  ///< Limits, freeze: moves nothing.
};

struct Entry {
    Id account = 0;
    EntryKind kind = EntryKind::other;
    std::int64_t seq = 0;
    std::int64_t amount = 0;
    std::int64_t held_change = 0;
    std::int64_t balance_after = 0;
    std::int64_t held_after = 0;
    Id transaction = 0;
    Id key = 0;   ///< On the subject of a request alone.
    Id hold = 0;  ///< The hold that a commit, void or expire ends.

    friend bool operator==(const Entry&, const Entry&) = default;
};

struct AccountRow {
    Id account = 0;
    std::int64_t balance = 0;
    std::int64_t held = 0;
    std::int64_t seq = 0;
    std::optional<std::int64_t> floor = 0;
    Id balanced_asset = 0;  ///< Its asset where that is balanced, else 0.
};

/// All that was stored at one time. Entries in any order.
struct Dump {
    std::vector<AccountRow> accounts;
    std::vector<Entry> entries;
};

struct History {
    Names names;
    std::vector<Call> calls;
    std::vector<Leg> legs;  ///< Of all calls; each has a range of them.
    std::vector<Seen> seen;
    std::vector<Dump> dumps;  ///< In order of time; the last one, after everything came to rest.
};

}  // namespace passbook::lab::checker
