// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace passbook::cli {

struct RebuildResult {
    std::uint64_t assets = 0;
    std::uint64_t accounts = 0;
    std::uint64_t entries = 0;
    std::uint64_t refusals = 0;
    std::uint64_t differences = 0;  ///< Found by reconciling the new store.
};

/// Whether the file begins as an export of JSON lines does. Throws FileError.
[[nodiscard]] bool is_export(const std::string& file);

/// Writes an export into a new store, row by row as they were, so that every balance and every
/// key's answer is the same; then reconciles it. The file is checked whole first. Throws CannotRun
/// and FileError; a store that is not empty is refused.
[[nodiscard]] RebuildResult rebuild(const std::string& file, const std::string& store);

}  // namespace passbook::cli
