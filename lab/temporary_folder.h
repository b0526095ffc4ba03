// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace passbook::lab {

/// A new folder that goes, with all in it, when this goes.
class TemporaryFolder {
public:
    /// Within `parent`, or where the system keeps such where that is empty. Throws
    /// std::runtime_error.
    explicit TemporaryFolder(const std::string& parent);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::string& path() const noexcept {
        return path_;
    }

private:
    std::string path_;
};

}  // namespace passbook::lab
