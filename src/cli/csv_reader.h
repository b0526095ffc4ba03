// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Reads CSV (RFC 4180) row by row: quoted fields with line breaks inside, LF or CRLF, a byte order
/// mark. Blanks belong to their field, and empty lines are passed over. It never holds more than
/// one row, and it knows on which line each begins.

struct csv_parser;

namespace passbook::cli {

/// No file could be read there; the text says so in one line.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct CsvRow {
    std::uint64_t line = 0;  ///< On which it begins, from 1.
    std::vector<std::string> fields;
    std::optional<std::string> fault;  ///< Not CSV, and why; then `fields` holds the line as it is.
};

class CsvReader {
public:
    /// Longer rows are faults: most likely a quotation mark is missing.
    static constexpr std::size_t row_bytes_max = 65'536;

    /// Throws FileError.
    explicit CsvReader(const std::string& path);
    ~CsvReader();
    CsvReader(const CsvReader&) = delete;
    CsvReader& operator=(const CsvReader&) = delete;

    /// The next row, into `row`, whose memory is used again; false at the end. After a faulty row
    /// it goes on with the line behind that row's first. Throws FileError.
    [[nodiscard]] bool next(CsvRow& row);

    [[nodiscard]] std::uint64_t bytes_read() const noexcept {
        return next_.offset;
    }
    [[nodiscard]] std::uint64_t bytes_total() const noexcept {
        return bytes_total_;
    }

private:
    struct Place {
        std::uint64_t offset = 0;
        std::uint64_t line = 1;
    };

    void reset_parser();
    void skip_byte_order_mark();
    [[nodiscard]] bool fill();
    [[nodiscard]] std::string_view next_piece();
    void feed(std::string_view piece);
    void end_of_file();
    void refuse(CsvRow& row, const Place& begin, std::string_view why);
    void seek(const Place& place);
    static void take_field(void* bytes, std::size_t size, void* self);
    static void take_row(int terminator, void* self);

    std::string path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::unique_ptr<csv_parser> parser_;
    std::uint64_t bytes_total_ = 0;

    std::vector<char> buffer_;
    std::size_t begin_ = 0;  ///< What of the buffer is not yet taken.
    std::size_t end_ = 0;
    Place next_;  ///< Of the first byte not yet taken.

    CsvRow* row_ = nullptr;
    std::size_t field_count_ = 0;
    bool row_done_ = false;
    const char* broken_ = nullptr;  ///< Why the row is not CSV.
};

}  // namespace passbook::cli
