// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/clock.h"
#include "base/instant.h"
#include "base/version.h"
#include "cli/subcommand.h"
#include "cli/text.h"
#include "lab/report_html.h"

namespace passbook::cli {
namespace {

/// `2026-11-30T03:15:00Z` of `2026-11-30T03:15:00.123456Z`.
std::string to_the_second(const std::string& instant) {
    return instant.substr(0, instant.find('.')) + "Z";
}

/// Makes the file; false where there is one of that name.
bool make(const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0 && errno != EEXIST) {
        throw CannotRun(fmt::format("--report {}: {}", path, std::strerror(errno)));
    }
    return file >= 0 && close(file) == 0;
}

}  // namespace

LabReport::LabReport(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw CannotRun(fmt::format("--report {}: {}", in_quotes(folder), error.message()));
    }
    when_ = to_the_second(to_text(SystemClock().now()));
    std::string name = when_;
    std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
    path_ = fmt::format("{}/lab-{}.html", folder, name);
    for (int more = 2; !make(path_); ++more) {
        path_ = fmt::format("{}/lab-{}-{}.html", folder, name, more);
    }
}

LabReport::~LabReport() {
    if (!is_written_) {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
}

void LabReport::write(const std::vector<lab::ExperimentResult>& results, lab::Language language) {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out << lab::html_of(results, language, when_, version());
    out.close();
    if (!out) {
        throw CannotRun(fmt::format("--report {}: cannot be written to its end", path_));
    }
    is_written_ = true;
}

}  // namespace passbook::cli
