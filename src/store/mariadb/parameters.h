// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

/// Values for the ? of a statement. A statement is run once for each row of its parameters; most
/// have one.

namespace passbook::store::mariadb {

/// The values of one ?, one for each row.
class Column {
public:
    enum class Type { number, text, bytes };

    explicit Column(Type type) : type_(type) {}

    void add(std::int64_t value);
    void add(std::string_view text);
    void add(std::span<const std::uint8_t> bytes);
    void add(Instant instant) {
        add(instant.micros);
    }
    void add_null();
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) {
            add(*value);
        } else {
            add_null();
        }
    }
    /// NULL for an empty text.
    void add_or_null(const std::string& text);

    [[nodiscard]] Type type() const noexcept {
        return type_;
    }
    [[nodiscard]] std::size_t rows() const noexcept {
        return is_null_.size();
    }
    [[nodiscard]] bool is_null(std::size_t row) const {
        return is_null_[row];
    }
    [[nodiscard]] const std::int64_t& number(std::size_t row) const {
        return numbers_[row];
    }
    [[nodiscard]] std::string_view text(std::size_t row) const {
        return std::string_view(bytes_).substr(starts_[row], starts_[row + 1] - starts_[row]);
    }

private:
    void add_bytes(std::string_view bytes);

    Type type_;
    std::vector<bool> is_null_;
    std::vector<std::int64_t> numbers_;
    std::string bytes_;
    std::vector<std::size_t> starts_{0};
};

/// The parameters of one statement, in order. All have the same number of rows.
class Parameters {
public:
    Parameters& integer(std::int64_t value);
    Parameters& integer(std::optional<std::int64_t> value);
    Parameters& text(std::string_view value);
    Parameters& instant(std::optional<Instant> value);
    Parameters& column(Column column);

    [[nodiscard]] const std::vector<Column>& columns() const noexcept {
        return columns_;
    }
    /// 1 where there are no parameters at all.
    [[nodiscard]] std::size_t rows() const noexcept {
        return columns_.empty() ? 1 : columns_.front().rows();
    }

private:
    std::vector<Column> columns_;
};

/// A JSON array of arrays, for statements that look up many things at once: JSON_TABLE makes rows
/// of it.
class JsonRows {
public:
    void begin_row();
    JsonRows& add(std::int64_t value);
    JsonRows& add(std::string_view text);

    [[nodiscard]] std::string take() &&;

private:
    void separate();

    std::string text_ = "[";
    bool is_first_ = true;
};

}  // namespace passbook::store::mariadb
