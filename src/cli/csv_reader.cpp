// SPDX-License-Identifier: Apache-2.0
#include "cli/csv_reader.h"

#include <csv.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.h"

namespace passbook::cli {
namespace {

constexpr std::size_t buffer_bytes = 256 * 1024;
static_assert(buffer_bytes >= 2 * CsvReader::row_bytes_max);

std::uint64_t size_of(std::FILE* file, const std::string& path) {
    struct stat status{};
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
        throw FileError(fmt::format("{}: not a regular file, and it is read more than once", path));
    }
    return static_cast<std::uint64_t>(status.st_size);
}

// A line ends at LF alone, so that no piece of the file ends two rows. The CR of a CRLF then counts
// as the one kind of blank that does not belong to its field.
int is_space(unsigned char byte) {
    return byte == '\r' ? 1 : 0;
}
int is_line_end(unsigned char byte) {
    return byte == '\n' ? 1 : 0;
}

bool is_blank(std::string_view piece) {
    return piece == "\n" || piece == "\r\n" || piece == "\r";
}

}  // namespace

CsvReader::CsvReader(const std::string& path)
    : path_(path),
      file_(std::fopen(path.c_str(), "rb"), std::fclose),
      parser_(std::make_unique<csv_parser>()),
      buffer_(buffer_bytes) {
    if (!file_) {
        throw FileError(fmt::format("{}: {}", path, std::strerror(errno)));
    }
    bytes_total_ = size_of(file_.get(), path);
    reset_parser();
    skip_byte_order_mark();
}

CsvReader::~CsvReader() {
    csv_free(parser_.get());
}

bool CsvReader::next(CsvRow& row) {
    row_ = &row;
    field_count_ = 0;
    row_done_ = false;
    broken_ = nullptr;
    row.fault.reset();
    std::optional<Place> begin;
    while (!row_done_) {
        const Place here = next_;
        const std::string_view piece = next_piece();
        if (!begin && is_blank(piece)) {
            continue;
        }
        if (piece.empty() && !begin) {
            return false;
        }
        if (!begin) {
            begin = here;
        }
        if (piece.empty()) {
            end_of_file();
        } else {
            feed(piece);
        }
        if (!row_done_ && next_.offset - begin->offset > row_bytes_max) {
            broken_ = "it is too long, or a quotation mark is not closed";
        }
        if (broken_ != nullptr) {
            refuse(row, *begin, broken_);
            return true;
        }
    }
    row.line = begin->line;
    row.fields.resize(field_count_);
    return true;
}

/// A line with its end, or a part of one that is longer than a row may be; empty at the end.
std::string_view CsvReader::next_piece() {
    std::size_t searched = 0;
    for (;;) {
        const std::string_view there(buffer_.data() + begin_, end_ - begin_);
        std::size_t size = there.find('\n', searched);
        size = size == std::string_view::npos ? there.size() : size + 1;
        const bool whole = size > 0 && there[size - 1] == '\n';
        if (!whole && size < row_bytes_max && fill()) {
            searched = size;
            continue;
        }
        const std::string_view piece = there.substr(0, std::min(size, row_bytes_max));
        begin_ += piece.size();
        next_.offset += piece.size();
        next_.line += piece.ends_with('\n') ? 1U : 0U;
        return piece;
    }
}

/// Adds what follows in the file to the buffer; false at its end.
bool CsvReader::fill() {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    const std::size_t size =
        std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
    if (size == 0 && std::ferror(file_.get()) != 0) {
        throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
    }
    end_ += size;
    return size > 0;
}

void CsvReader::feed(std::string_view piece) {
    const std::size_t taken =
        csv_parse(parser_.get(), piece.data(), piece.size(), take_field, take_row, this);
    if (taken != piece.size()) {
        broken_ = "a quotation mark stands where none may be";
    }
}

void CsvReader::end_of_file() {
    if (csv_fini(parser_.get(), take_field, take_row, this) != 0) {
        broken_ = "a quotation mark is not closed";
    }
    PASSBOOK_ASSERT(row_done_ || broken_ != nullptr);
}

/// Gives the row's first line as it stands and goes on behind that line.
void CsvReader::refuse(CsvRow& row, const Place& begin, std::string_view why) {
    csv_free(parser_.get());
    reset_parser();
    seek(begin);
    std::string_view piece = next_piece();
    row.line = begin.line;
    row.fault = why;
    row.fields.resize(1);
    row.fields[0] = piece.substr(0, piece.find_last_not_of("\r\n") + 1);
    while (!piece.empty() && !piece.ends_with('\n')) {
        piece = next_piece();
    }
}

void CsvReader::reset_parser() {
    const int error = csv_init(parser_.get(), CSV_STRICT | CSV_STRICT_FINI);
    PASSBOOK_ASSERT(error == 0);
    csv_set_space_func(parser_.get(), is_space);
    csv_set_term_func(parser_.get(), is_line_end);
}

void CsvReader::seek(const Place& place) {
    if (std::fseek(file_.get(), static_cast<long>(place.offset), SEEK_SET) != 0) {
        throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
    }
    begin_ = end_ = 0;
    next_ = place;
}

void CsvReader::skip_byte_order_mark() {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    while (end_ - begin_ < mark.size() && fill()) {
    }
    if (std::string_view(buffer_.data() + begin_, end_ - begin_).starts_with(mark)) {
        begin_ += mark.size();
        next_.offset += mark.size();
    }
}

void CsvReader::take_field(void* bytes, std::size_t size, void* self) {
    auto& reader = *static_cast<CsvReader*>(self);
    auto& fields = reader.row_->fields;
    if (fields.size() == reader.field_count_) {
        fields.emplace_back();
    }
    std::string& field = fields[reader.field_count_++];
    field.clear();
    if (size > 0) {
        field.append(static_cast<const char*>(bytes), size);
    }
}

void CsvReader::take_row(int, void* self) {
    static_cast<CsvReader*>(self)->row_done_ = true;
}

}  // namespace passbook::cli
