// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lab/checker/check.h"
#include "lab/checker/history.h"

namespace passbook::lab::checker {

/// All sendings of one wish: the same subject and key.
struct Wish {
    Id subject = 0;
    Id key = 0;
    std::span<const std::uint32_t> calls = {};  ///< In order of invocation.
    /// The call that tells its outcome: the first ok, else the first refusal that is kept under the
    /// key; `none` where there is neither.
    std::uint32_t told_by = none;

    static constexpr std::uint32_t none = 0xFFFF'FFFF;
};

/// The entries of one account in order of seq, and its row.
struct Journal {
    Id account = 0;
    const AccountRow* row = nullptr;  ///< Null where entries have no account.
    std::span<const Entry> entries;

    /// State s is the one after s entries. It may have been the current one no sooner than
    /// `since[s]` and no later than `until[s]`; both grow with s. What nobody asked for (an expiry)
    /// may have come at any time.
    std::vector<Time> since;
    std::vector<Time> until;
};

/// A history, arranged for the rules.
class Index {
public:
    explicit Index(const History& history);

    [[nodiscard]] const History& history() const noexcept {
        return history_;
    }
    [[nodiscard]] const std::vector<Wish>& wishes() const noexcept {
        return wishes_;
    }
    [[nodiscard]] const std::vector<Journal>& journals() const noexcept {
        return journals_;
    }
    /// Null where that account has neither entries nor a row.
    [[nodiscard]] const Journal* journal(Id account) const;
    /// Whether there is a dump to hold answers against.
    [[nodiscard]] bool has_dump() const noexcept {
        return !history_.dumps.empty();
    }

    /// The entries of a transaction, by account.
    [[nodiscard]] std::span<const Entry* const> transaction(Id id) const;
    /// The wish that made a transaction, by its key on the subject or by its answer; null where
    /// none is known.
    [[nodiscard]] const Wish* maker(Id transaction) const;
    /// The wish under that key; null where it was never sent.
    [[nodiscard]] const Wish* wish(Id subject, Id key) const;
    /// The entry that opened the hold; null where there is none.
    [[nodiscard]] const Entry* opening(Id hold) const;

    [[nodiscard]] Time sent(const Wish& wish) const;   ///< For the first time.
    [[nodiscard]] Time known(const Wish& wish) const;  ///< First told to have taken effect.

    [[nodiscard]] std::span<const Leg> legs(const Call& call) const;
    [[nodiscard]] std::span<const Seen> seen(const Call& call) const;

    // For witnesses.
    [[nodiscard]] const std::string& text(Id id) const {
        return history_.names.text(id);
    }
    [[nodiscard]] std::string text(const Wish& wish) const;
    [[nodiscard]] std::string text(const Entry& entry) const;

private:
    void gather_wishes();
    void tell(Wish& wish, std::uint32_t number);
    void gather_entries();
    void gather_times(Journal& journal) const;

    const History& history_;
    std::vector<Wish> wishes_;
    std::vector<std::uint32_t> wish_calls_;  ///< Of one wish after the other.
    std::unordered_map<std::uint64_t, std::uint32_t> wish_by_key_;
    std::vector<Entry> entries_;  ///< Of the last dump, by (account, seq).
    std::vector<const Entry*> by_transaction_;
    std::vector<Journal> journals_;
    std::unordered_map<Id, std::uint32_t> journal_by_account_;
    std::unordered_map<Id, std::uint32_t> maker_;
};

/// Gathers what breaks one rule; keeps the smallest witness. Of equal size the first one stays.
class Findings {
public:
    explicit Findings(Rule rule) : rule_(rule) {}

    /// `size` is how many events or rows the witness takes.
    void add(std::size_t size, std::string witness);
    void into(std::vector<Finding>& all) &&;

private:
    Rule rule_;
    std::uint64_t count_ = 0;
    std::size_t size_ = 0;
    std::string witness_;
};

// One rule each, in a file of its own.
void check_exactly_once(const Index& index, Findings& findings);
void check_atomic(const Index& index, Findings& findings);
void check_conservation(const Index& index, Findings& findings);
void check_running_balance(const Index& index, Findings& findings);
void check_floor(const Index& index, Findings& findings);
void check_refusals(const Index& index, Findings& findings);
void check_real_time(const Index& index, Findings& findings);
void check_cycles(const Index& index, Findings& findings);  ///< The other half of real time.
void check_immutable(const Index& index, Findings& findings);
void check_replay(const Index& index, Findings& findings);
void check_holds(const Index& index, Findings& findings);

}  // namespace passbook::lab::checker
