// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/parameters.h"

#include <fmt/format.h>
#include <iterator>

#include "base/assert.h"

namespace passbook::store::mariadb {

void Column::add(std::int64_t value) {
    PASSBOOK_ASSERT(type_ == Type::number);
    numbers_.push_back(value);
    is_null_.push_back(false);
}

void Column::add(std::string_view text) {
    PASSBOOK_ASSERT(type_ == Type::text);
    add_bytes(text);
}

void Column::add(std::span<const std::uint8_t> bytes) {
    PASSBOOK_ASSERT(type_ == Type::bytes);
    bytes_.append(bytes.begin(), bytes.end());
    starts_.push_back(bytes_.size());
    is_null_.push_back(false);
}

void Column::add_null() {
    if (type_ == Type::number) {
        numbers_.push_back(0);
    } else {
        starts_.push_back(bytes_.size());
    }
    is_null_.push_back(true);
}

void Column::add_or_null(const std::string& text) {
    if (text.empty()) {
        add_null();
    } else {
        add(std::string_view(text));
    }
}

void Column::add_bytes(std::string_view bytes) {
    bytes_ += bytes;
    starts_.push_back(bytes_.size());
    is_null_.push_back(false);
}

Parameters& Parameters::integer(std::int64_t value) {
    Column column(Column::Type::number);
    column.add(value);
    return this->column(std::move(column));
}

Parameters& Parameters::integer(std::optional<std::int64_t> value) {
    Column column(Column::Type::number);
    column.add(value);
    return this->column(std::move(column));
}

Parameters& Parameters::text(std::string_view value) {
    Column column(Column::Type::text);
    column.add(value);
    return this->column(std::move(column));
}

Parameters& Parameters::instant(std::optional<Instant> value) {
    Column column(Column::Type::number);
    column.add(value);
    return this->column(std::move(column));
}

Parameters& Parameters::column(Column column) {
    PASSBOOK_ASSERT(columns_.empty() || column.rows() == rows());
    columns_.push_back(std::move(column));
    return *this;
}

void JsonRows::begin_row() {
    text_ += text_.size() == 1 ? "[" : "],[";
    is_first_ = true;
}

void JsonRows::separate() {
    if (!is_first_) {
        text_ += ',';
    }
    is_first_ = false;
}

JsonRows& JsonRows::add(std::int64_t value) {
    separate();
    fmt::format_to(std::back_inserter(text_), "{}", value);
    return *this;
}

JsonRows& JsonRows::add(std::string_view text) {
    separate();
    text_ += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            text_ += '\\';
        }
        text_ += c;
    }
    text_ += '"';
    return *this;
}

std::string JsonRows::take() && {
    text_ += text_.size() == 1 ? "]" : "]]";
    return std::move(text_);
}

}  // namespace passbook::store::mariadb
