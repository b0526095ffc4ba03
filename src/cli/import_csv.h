// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/amount.h"
#include "cli/import_target.h"

namespace passbook::cli {

struct CsvImport {
    std::string file;
    std::string rejects;  ///< Where invalid rows go; empty: one is enough to import nothing.
    std::optional<std::optional<Amount>> floor;  ///< Of accounts that it opens.
};

struct CsvImportResult {
    std::uint64_t rows = 0;
    std::uint64_t invalid = 0;
    std::string first_fault;  ///< `FILE:line: …`; empty where no row is invalid.
    std::uint64_t accounts = 0;
    ImportTally tally;
    Total balance_sum = 0;  ///< Of all accounts that the file names.
    bool imported = false;  ///< False where invalid rows stopped it before anything was written.
};

/// Reads the whole file once to check it and to learn its accounts, and only then asks for the
/// target, opens what is missing and submits the rows. Any of it may be done again: keys replay.
/// Throws FileError and CannotRun.
[[nodiscard]] CsvImportResult import_csv(
    const CsvImport& import, const std::function<std::unique_ptr<ImportTarget>()>& open_target);

}  // namespace passbook::cli
