// SPDX-License-Identifier: Apache-2.0
#include "lab/temporary_folder.h"

#include <fmt/format.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace passbook::lab {

TemporaryFolder::TemporaryFolder(const std::string& parent)
    : path_((parent.empty() ? std::filesystem::temp_directory_path().string() : parent) +
            "/passbook-lab-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
        throw std::runtime_error(fmt::format("cannot make {}: {}", path_, std::strerror(errno)));
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace passbook::lab
