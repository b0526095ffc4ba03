// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/amount.h"
#include "cli/import_row.h"
#include "engine/engine.h"

/// Where the rows of an import go: into a store of this process, or to a server.

namespace passbook::cli {

/// What became of the rows so far.
struct ImportTally {
    std::uint64_t posted = 0;    ///< Newly.
    std::uint64_t replayed = 0;  ///< Answered as before, whatever that answer was.
    std::uint64_t refused = 0;   ///< Newly.
    /// Rows with a stated balance that the ledger does not confirm: it holds another balance after
    /// the row, or it refused the row.
    std::uint64_t stated_balance_differences = 0;
};

/// One row's answer. `balance_after` is there where the row was posted, now or before.
struct RowAnswer {
    bool replayed = false;
    std::optional<Amount> balance_after;
};

void count(ImportTally& tally, const std::optional<Amount>& stated_balance,
           const RowAnswer& answer);

/// How an account is opened that does not exist yet. One that does stays as it is.
struct Opening {
    std::optional<AssetCode> asset;
    std::optional<std::optional<Amount>> floor;  ///< Inner nullopt: none. Absent: the asset's.
};

/// Every function throws CannotRun where the import cannot go on; then it may be run again from the
/// beginning, as always.
class ImportTarget {
public:
    virtual ~ImportTarget() = default;

    /// For people, behind "into".
    [[nodiscard]] virtual std::string describe() const = 0;

    virtual void open(const AccountId& account, const Opening& opening) = 0;

    /// Rows of one account are answered in the order given.
    virtual void submit(ImportRow row) = 0;

    /// Returns when all that was submitted is answered.
    virtual void finish() = 0;

    [[nodiscard]] virtual Amount balance(const AccountId& account) = 0;

    /// To be asked after `finish`.
    [[nodiscard]] virtual ImportTally tally() const = 0;
};

[[nodiscard]] std::unique_ptr<ImportTarget> import_into_store(const std::string& url);
[[nodiscard]] std::unique_ptr<ImportTarget> import_through_server(const std::string& url);

/// What to say behind a reason for stopping.
inline constexpr const char* run_again =
    "run the same import again: rows that are in already are answered as replays";

}  // namespace passbook::cli
