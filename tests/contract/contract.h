// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ledger/decide.h"
#include "store/store.h"

/// What every store must do, held against each of them: a store takes part by instantiating
/// StoreContract and GuardContract with a Backend (see memory_store.cpp). The decisions are those
/// of the ledger, so that the rows are the ones a server writes.

namespace passbook::contract {

struct Backend {
    std::string name;
    /// Opens a new, empty store; what it keeps on disk goes into `folder`.
    std::function<std::unique_ptr<store::Store>(const Clock&, const std::filesystem::path& folder)>
        open;
    /// Gives a key another owner, in a store that `open` has opened there; the number it then has.
    std::function<std::int64_t(store::Store&, const std::filesystem::path& folder,
                               const std::string& key)>
        mint;

    friend std::ostream& operator<<(std::ostream& out, const Backend& backend) {
        return out << backend.name;
    }
};

/// All rows of a store, shard by shard.
struct Contents {
    std::vector<ledger::Asset> assets;
    std::vector<ledger::Account> accounts;
    std::vector<ledger::Entry> entries;
    std::vector<ledger::Hold> holds;
    std::vector<ledger::StoredRefusal> refusals;

    friend bool operator==(const Contents&, const Contents&) = default;
};

inline const AccountId alice = AccountId::trusted("alice");
inline const AccountId bob = AccountId::trusted("bob");
inline const AccountId carol = AccountId::trusted("carol");
inline const AccountId nobody = AccountId::trusted("nobody");

[[nodiscard]] EntryId id_of(const ledger::Record& record);

class StoreContract : public testing::TestWithParam<Backend> {
public:
    ~StoreContract() override;

protected:
    StoreContract();

    /// Decides one command and commits it, as a server would. Adds a key unless the action is a
    /// PUT.
    ledger::Answer run(ledger::Action action);
    ledger::Answer run(ledger::Action action, std::string_view key);
    ledger::Answer run(ledger::Command command);

    /// The same, where it must be accepted.
    ledger::Record accepted(ledger::Action action);
    ledger::Record accepted(ledger::Action action, std::string_view key);

    /// Begins, decides, and leaves the transaction open with what would be written.
    ledger::Changes decided(ledger::Action action, std::string_view key);

    [[nodiscard]] Contents contents();

    void grant(const AccountId& account, Amount amount);
    std::int64_t mint(const std::string& key);  ///< A new fence. Any thread.
    [[nodiscard]] ledger::Account account(const AccountId& id);

    ManualClock clock{Instant{1'700'000'000'000'000}};

private:
    std::filesystem::path folder_;
    std::unique_ptr<store::Store> store_;
    int keys_ = 0;

protected:
    // Behind the store, so that they go before it.
    store::Store& store;
    std::unique_ptr<store::Writer> writer;
    std::unique_ptr<store::Reader> reader;
};

/// Changes that are right but for one thing.
struct Spoiled {
    std::string_view what;
    ledger::Action action;
    std::function<void(ledger::Changes&)> spoil;
    /// It writes a row that is there already. On a shared store that may be the row of somebody who
    /// took no lock: the store then asks for the whole transaction again.
    bool is_taken = false;
};

/// A store with a history, in which every kind of bad row could hide.
class GuardContract : public StoreContract {
protected:
    GuardContract();

    /// Each must fire a guard, change nothing, and leave the writer usable.
    void expect_refused(const std::vector<Spoiled>& rows);
    /// Unspoiled they are taken, so that it is the spoiling that was refused.
    void expect_taken(const std::vector<Spoiled>& rows);

    EntryId hold{alice};
    EntryId transfer{alice};
};

}  // namespace passbook::contract
