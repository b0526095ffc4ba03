// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

/// Values for the $n of a statement, in PostgreSQL's binary form: numbers big-endian, a time as
/// microseconds since 2000. Statements say the type of every parameter ($1::bigint[]), which must
/// be the one it is encoded as here.

namespace passbook::store::postgres {

/// The types that our tables are made of; the numbers are those of pg_type.
enum class Type : std::uint32_t {
    boolean = 16,
    bytea = 17,
    bigint = 20,
    smallint = 21,
    integer = 23,
    text = 25,
    timestamptz = 1184,
};

[[nodiscard]] std::int64_t to_wire(Instant instant) noexcept;
[[nodiscard]] Instant from_wire(std::int64_t micros) noexcept;

/// One array parameter, a column of rows to come, filled value by value.
class Array {
public:
    explicit Array(Type of) : of_(of), bytes_(header_size, '\0') {
        bytes_.reserve(size_at_first);
    }

    void add(std::int64_t value);  ///< boolean, smallint, integer, bigint, as `of` says.
    void add(std::string_view text);
    void add(std::span<const std::uint8_t> bytes);
    void add(Instant instant) {
        add(to_wire(instant));
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

    [[nodiscard]] std::int32_t size() const noexcept {
        return size_;
    }

    /// The array's binary form. Where every value is null it is empty instead: beside longer ones,
    /// unnest fills it up with nulls again.
    [[nodiscard]] std::string take() &&;

private:
    static constexpr std::size_t header_size = 20;
    static constexpr std::size_t size_at_first = 500;  ///< Some tens of numbers.

    void add_bytes(const char* bytes, std::size_t size);

    Type of_;
    std::int32_t size_ = 0;
    std::int32_t nulls_ = 0;
    std::string bytes_;
};

/// The parameters of one statement, in order.
class Parameters {
public:
    Parameters& smallint(std::int64_t value);
    Parameters& integer(std::int64_t value);
    Parameters& bigint(std::int64_t value);
    Parameters& boolean(bool value);
    Parameters& text(std::string_view value);
    Parameters& timestamptz(std::optional<Instant> value);
    Parameters& bigint(std::optional<std::int64_t> value);
    Parameters& array(Array array);

    [[nodiscard]] const std::vector<std::optional<std::string>>& values() const noexcept {
        return values_;
    }

private:
    std::vector<std::optional<std::string>> values_;
};

}  // namespace passbook::store::postgres
