// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace passbook::cli {

/// The accounts that a file names, each once, with the asset of the first row that names it (empty
/// where that row gives none). What does not fit into memory goes to a temporary file, sorted, so a
/// file with any number of accounts can be imported.
class NamedAccounts {
public:
    using Account = std::pair<std::string, std::string>;  ///< Id, asset.

    explicit NamedAccounts(std::size_t in_memory_max = 65'536) : in_memory_max_(in_memory_max) {}

    /// Throws FileError where the temporary file cannot be written.
    void add(const std::string& id, const std::string& asset);

    /// Hands over each account once, in order of the ids' bytes. May be called again.
    void each(const std::function<void(const Account&)>& take);

private:
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    void spill();

    std::size_t in_memory_max_;
    std::unordered_map<std::string, std::string> accounts_;
    std::vector<File> spilled_;  ///< Sorted; what came earlier is in an earlier one.
};

}  // namespace passbook::cli
