// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/run.h"

namespace passbook::cli {

/// The page of one run, `lab-20261130T031500Z.html` in a folder, which is made where there is none.
/// The file is there from the beginning, so that a long run does not end with a folder that cannot
/// be written; without write() it goes again. No other page is ever written over.
class LabReport {
public:
    /// Throws CannotRun.
    explicit LabReport(const std::string& folder);
    ~LabReport();
    LabReport(const LabReport&) = delete;
    LabReport& operator=(const LabReport&) = delete;

    /// Throws CannotRun.
    void write(const std::vector<lab::ExperimentResult>& results, lab::Language language);

    [[nodiscard]] const std::string& path() const noexcept {
        return path_;
    }

private:
    std::string when_;
    std::string path_;
    bool is_written_ = false;
};

}  // namespace passbook::cli
