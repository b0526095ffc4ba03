// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Writes CSV (RFC 4180) that is safe to open in a spreadsheet.

namespace passbook::cli {

/// Puts `'` before a text that a spreadsheet would take for a formula (one that begins with `=`,
/// `+`,
/// `-`, `@`, a tab or a carriage return), so that it shows as text.
[[nodiscard]] std::string guarded(std::string_view text);

class CsvWriter {
public:
    /// Appends to `out`.
    explicit CsvWriter(std::string& out) : out_(out) {}

    CsvWriter& text(std::string_view text);   ///< Free text: guarded.
    CsvWriter& exact(std::string_view text);  ///< As it is: ids, times, words of ours.
    CsvWriter& number(std::int64_t number);
    void end_row();

private:
    void separate();

    std::string& out_;
    bool first_ = true;
};

}  // namespace passbook::cli
