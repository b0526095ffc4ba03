// SPDX-License-Identifier: Apache-2.0
#include "cli/csv_writer.h"

#include <csv.h>
#include <fmt/format.h>

namespace passbook::cli {

std::string guarded(std::string_view text) {
    constexpr std::string_view formula_begins = "=+-@\t\r";
    const bool risky = !text.empty() && formula_begins.find(text.front()) != std::string_view::npos;
    return risky ? fmt::format("'{}", text) : std::string(text);
}

CsvWriter& CsvWriter::text(std::string_view text) {
    return exact(guarded(text));
}

CsvWriter& CsvWriter::exact(std::string_view text) {
    separate();
    if (text.find_first_of("\",\r\n") == std::string_view::npos) {
        out_ += text;
        return *this;
    }
    const std::size_t size = csv_write(nullptr, 0, text.data(), text.size());
    const std::size_t before = out_.size();
    out_.resize(before + size);
    csv_write(out_.data() + before, size, text.data(), text.size());
    return *this;
}

CsvWriter& CsvWriter::number(std::int64_t number) {
    separate();
    fmt::format_to(std::back_inserter(out_), "{}", number);
    return *this;
}

void CsvWriter::end_row() {
    out_ += "\r\n";
    first_ = true;
}

void CsvWriter::separate() {
    if (!first_) {
        out_ += ',';
    }
    first_ = false;
}

}  // namespace passbook::cli
