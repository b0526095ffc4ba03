// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "http/json_reader.h"
#include "lab/checker/history.h"

namespace passbook::lab::checker {

/// A line is no event, or does not fit what came before. The text says why.
class BadLine : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Builds a history from JSON lines (docs/lab.md), in any number of files, each in its own order.
class HistoryReader {
public:
    /// Takes one line; an empty one is passed over. Throws BadLine.
    void line(std::string_view text);

    /// Ends the history: what has not returned never did.
    [[nodiscard]] History finish() &&;

private:
    void invoke(http::Value event);
    void answer(http::Value event, Verdict verdict);
    void dump_row(http::Value event, bool is_account);
    Dump& dump(std::int64_t number);

    History history_;
    /// By process and the number it gave its call.
    std::unordered_map<std::uint64_t, std::uint32_t> open_;
    std::unordered_map<std::int64_t, std::size_t> dumps_;
};

}  // namespace passbook::lab::checker
