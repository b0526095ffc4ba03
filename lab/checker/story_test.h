// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/checker/history.h"

/// Makes histories for the tests of the checker: a ledger in memory that does everything right, in
/// one order, while its calls overlap as the story says. The test then spoils what it likes.

namespace passbook::lab::checker {

class Story {
public:
    History history;

    /// From now on a call is sent `before` its effect and answered `after` it; the clock stands at
    /// the effect and steps on by 10.
    Time before = 2;
    Time after = 2;

    // Each returns the number of its call in `history.calls`.
    std::size_t grant(const std::string& account, std::int64_t amount, const std::string& key);
    std::size_t spend(const std::string& account, std::int64_t amount, const std::string& key);
    std::size_t transfer(const std::string& from, const std::string& to, std::int64_t amount,
                         const std::string& key);
    std::size_t hold(const std::string& account, std::int64_t amount, const std::string& key);
    /// `amount` 0 takes all of it.
    std::size_t commit(std::size_t hold, std::int64_t amount, const std::string& key);
    std::size_t void_hold(std::size_t hold, const std::string& key);
    std::size_t reverse(std::size_t call, const std::string& key);
    /// Sends the call again, and gets its answer again.
    std::size_t again(std::size_t call);
    /// Of all accounts, as of one instant.
    std::size_t read();

    /// Adds a dump of what there is.
    void dump();

    [[nodiscard]] Id id(const std::string& text) {
        return history.names.id(text);
    }
    [[nodiscard]] Call& call(std::size_t number) {
        return history.calls.at(number);
    }
    /// In the last dump.
    [[nodiscard]] Entry& entry(const std::string& account, std::int64_t seq);
    [[nodiscard]] AccountRow& row(const std::string& account);

private:
    std::size_t book(Call call, EntryKind kind, const std::vector<Leg>& asked,
                     const std::vector<Leg>& legs, Id hold = 0);
    Call begin(Op op, const std::string& account, const std::string& key, Id target = 0);
    std::size_t end(Call call, const std::vector<Leg>& asked);

    Time now_ = 1'000;
    std::map<Id, AccountRow> accounts_;
    std::vector<Entry> entries_;
};

}  // namespace passbook::lab::checker
