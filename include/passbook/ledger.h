// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Passbook in your own process: the ledger of `passbook serve`, without the server.
///
/// Amounts and balances are integers in the asset's minor unit, within plus or minus 2^53-1. Ids
/// are
/// `[A-Za-z0-9][A-Za-z0-9._:@+-]{0,63}`, keys 1 to 128 visible ASCII characters other than `"` and
/// `\`. Times are RFC 3339 texts. Keys are shared with HTTP and import: the same key and command
/// give the same answer wherever they come from.

namespace passbook {

/// Everything that is no answer of the ledger. `kind` says what a caller can do about it.
class Error : public std::runtime_error {
public:
    enum class Kind {
        malformed,        ///< The request itself is wrong; nothing was done.
        not_found,        ///< What it names does not exist; nothing was done, no key was used up.
        key_reused,       ///< The key belongs to another command; nothing was done.
        busy,             ///< Nothing was done; try the same call again at once.
        unavailable,      ///< Nothing was done; try the same call again later.
        outcome_unknown,  ///< It may have been done: call again with the same key to find out.
        broken,           ///< The store is corrupt or misconfigured.
    };

    Error(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}

    [[nodiscard]] Kind kind() const noexcept {
        return kind_;
    }

private:
    Kind kind_;
};

/// One line of an account's passbook.
struct Line {
    std::string account;
    std::int64_t seq = 0;
    std::string kind;
    std::int64_t amount = 0;
    std::int64_t held_change = 0;
    std::int64_t balance_after = 0;
    std::int64_t held_after = 0;
    std::string reason;
    std::optional<std::string> effective_at;
    std::string recorded_at;
};

/// What an accepted request did. `lines` begins with the subject's; the values above it are the
/// subject's too.
struct Receipt {
    std::string transaction;          ///< Empty where the call took no key.
    std::optional<std::string> hold;  ///< The hold that was placed.
    std::string account;
    std::int64_t amount = 0;
    std::int64_t balance = 0;
    std::int64_t held = 0;
    std::int64_t available = 0;
    std::int64_t seq = 0;
    std::vector<Line> lines;
};

/// A business "no", final for its key.
struct Refused {
    std::string code;    ///< For example `insufficient_balance`.
    std::string detail;  ///< One English sentence.
};

/// Either a receipt or a refusal. `replayed`: the key was answered before, and this is that answer.
struct [[nodiscard]] Outcome {
    std::optional<Receipt> receipt;
    std::optional<Refused> refused;
    bool replayed = false;

    [[nodiscard]] bool accepted() const noexcept {
        return receipt.has_value();
    }
};

struct AccountState {
    std::string id;
    std::string asset;
    std::string status;  ///< open, frozen or closed.
    std::int64_t balance = 0;
    std::int64_t held = 0;
    std::int64_t available = 0;
    std::int64_t seq = 0;
    std::optional<std::int64_t> floor;
    std::optional<std::int64_t> ceiling;
};

/// What a call asks for. Every call that moves value needs a key.
namespace ask {

struct Amount {
    std::string account;
    std::int64_t amount = 0;
    std::string key;
    std::optional<std::string> reason = {};
    std::optional<std::string> asset = {};
    std::optional<std::string> effective_at = {};
};

struct Transfer {
    std::string from;
    std::string to;
    std::int64_t amount = 0;
    std::string key;
    std::optional<std::string> reason = {};
};

struct Posting {
    std::string account;
    std::int64_t amount = 0;  ///< Signed.
    std::optional<std::string> asset = {};
};

struct Transaction {
    std::vector<Posting> postings;
    std::string key;
    std::optional<std::string> reason = {};
};

struct Reversal {
    std::string transaction;
    std::string key;
    std::optional<std::int64_t> amount = {};  ///< All that is left where absent.
    std::optional<std::string> reason = {};
};

struct Hold {
    std::string account;
    std::int64_t amount = 0;
    std::string key;
    std::optional<std::int64_t> expires_in = {};  ///< Seconds; a week where absent.
    std::optional<std::string> reason = {};
};

struct Commit {
    std::string hold;
    std::string key;
    std::optional<std::int64_t> amount = {};  ///< All of it where absent; the rest is released.
    std::optional<std::string> to = {};
};

struct Void {
    std::string hold;
    std::string key;
};

/// An absent field keeps its value; `floor = std::optional<std::int64_t>()` means no floor.
struct Account {
    std::string id;
    std::optional<std::string> asset = {};
    std::optional<std::optional<std::int64_t>> floor = {};
    std::optional<std::optional<std::int64_t>> ceiling = {};
};

}  // namespace ask

/// A store opened for writing. One process at a time holds an SQLite store. Every function may be
/// called from any thread, blocks until its answer is final, and throws Error.
class Ledger {
public:
    /// `url`: `sqlite:PATH`. Creates an absent store and upgrades an old one.
    [[nodiscard]] static Ledger open(const std::string& url);

    Ledger(Ledger&&) noexcept;
    Ledger& operator=(Ledger&&) noexcept;
    ~Ledger();

    Outcome grant(const ask::Amount& ask);
    Outcome spend(const ask::Amount& ask);
    Outcome transfer(const ask::Transfer& ask);
    Outcome transact(const ask::Transaction& ask);
    Outcome reverse(const ask::Reversal& ask);
    Outcome hold(const ask::Hold& ask);
    Outcome commit(const ask::Commit& ask);
    Outcome void_hold(const ask::Void& ask);

    /// Opens the account or changes its limits; Error `malformed` where they do not fit.
    AccountState put_account(const ask::Account& ask);

    [[nodiscard]] std::optional<AccountState> account(const std::string& id);

    /// In order of seq, behind `after_seq`.
    [[nodiscard]] std::vector<Line> lines(const std::string& account, std::int64_t after_seq = 0,
                                          std::size_t limit = 50);

private:
    struct Impl;
    explicit Ledger(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

}  // namespace passbook
