// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/parameters.h"

#include "base/assert.h"

namespace passbook::store::postgres {
namespace {

/// Seconds from 1970 to 2000, where PostgreSQL counts from.
constexpr std::int64_t epoch_seconds = 946'684'800;

std::size_t width_of(Type type) {
    switch (type) {
        case Type::boolean:
            return 1;
        case Type::smallint:
            return 2;
        case Type::integer:
            return 4;
        case Type::bigint:
        case Type::timestamptz:
            return 8;
        case Type::text:
        case Type::bytea:
            break;
    }
    PASSBOOK_ASSERT(false);
    return 0;
}

void put(char* to, std::int64_t value, std::size_t width) {
    auto rest = static_cast<std::uint64_t>(value);
    for (std::size_t i = width; i > 0; --i) {
        to[i - 1] = static_cast<char>(rest & 0xFFU);
        rest >>= 8U;
    }
}

std::string big_endian(std::int64_t value, std::size_t width) {
    std::string bytes(width, '\0');
    put(bytes.data(), value, width);
    return bytes;
}

}  // namespace

std::int64_t to_wire(Instant instant) noexcept {
    return instant.micros - epoch_seconds * micros_per_second;
}

Instant from_wire(std::int64_t micros) noexcept {
    return Instant{micros + epoch_seconds * micros_per_second};
}

void Array::add(std::int64_t value) {
    char bytes[8];
    const std::size_t width = width_of(of_);
    put(bytes, value, width);
    add_bytes(bytes, width);
}

void Array::add(std::string_view text) {
    add_bytes(text.data(), text.size());
}

void Array::add(std::span<const std::uint8_t> bytes) {
    add_bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void Array::add_null() {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + 4);
    put(bytes_.data() + at, -1, 4);
    ++size_;
    ++nulls_;
}

void Array::add_or_null(const std::string& text) {
    if (text.empty()) {
        add_null();
    } else {
        add(std::string_view(text));
    }
}

void Array::add_bytes(const char* bytes, std::size_t size) {
    char length[4];
    put(length, static_cast<std::int64_t>(size), sizeof length);
    bytes_.append(length, sizeof length).append(bytes, size);
    ++size_;
}

std::string Array::take() && {
    const bool has_values = size_ > nulls_;
    if (!has_values) {
        bytes_.resize(12);  // an array of no dimension: no bounds, no values
    }
    char* header = bytes_.data();
    put(header, has_values ? 1 : 0, 4);
    put(header + 4, has_values && nulls_ > 0 ? 1 : 0, 4);
    put(header + 8, static_cast<std::int64_t>(of_), 4);
    if (has_values) {
        put(header + 12, size_, 4);
        put(header + 16, 1, 4);  // indexes count from 1
    }
    return std::move(bytes_);
}

Parameters& Parameters::smallint(std::int64_t value) {
    values_.emplace_back(big_endian(value, 2));
    return *this;
}

Parameters& Parameters::integer(std::int64_t value) {
    values_.emplace_back(big_endian(value, 4));
    return *this;
}

Parameters& Parameters::bigint(std::int64_t value) {
    values_.emplace_back(big_endian(value, 8));
    return *this;
}

Parameters& Parameters::bigint(std::optional<std::int64_t> value) {
    return value ? bigint(*value) : (values_.emplace_back(), *this);
}

Parameters& Parameters::boolean(bool value) {
    values_.emplace_back(big_endian(value ? 1 : 0, 1));
    return *this;
}

Parameters& Parameters::text(std::string_view value) {
    values_.emplace_back(std::string(value));
    return *this;
}

Parameters& Parameters::timestamptz(std::optional<Instant> value) {
    if (!value) {
        values_.emplace_back();
        return *this;
    }
    return bigint(to_wire(*value));
}

Parameters& Parameters::array(Array array) {
    values_.emplace_back(std::move(array).take());
    return *this;
}

}  // namespace passbook::store::postgres
