// SPDX-License-Identifier: Apache-2.0
#include "base/instant.h"

#include <fmt/compile.h>
#include <chrono>

namespace passbook {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::size_t date_length = 10;  // YYYY-MM-DD
constexpr std::size_t fraction_digits_max = 6;

/// Takes digits and marks off the front of a text; after the first mismatch it stays failed.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    int number(std::size_t digits) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
                failed_ = true;
                return 0;
            }
            value = value * 10 + (rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return value;
    }

    char mark(std::string_view allowed) {
        if (rest_.empty() || allowed.find(rest_.front()) == std::string_view::npos) {
            failed_ = true;
            return '\0';
        }
        const char found = rest_.front();
        rest_.remove_prefix(1);
        return found;
    }

    [[nodiscard]] bool next_is(char c) const {
        return !rest_.empty() && rest_.front() == c;
    }
    [[nodiscard]] bool next_is_digit() const {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }
    [[nodiscard]] bool done() const {
        return !failed_ && rest_.empty();
    }
    [[nodiscard]] bool failed() const {
        return failed_;
    }

private:
    std::string_view rest_;
    bool failed_ = false;
};

std::optional<sys_days> scan_date(Scanner& in) {
    const int year = in.number(4);
    in.mark("-");
    const int month = in.number(2);
    in.mark("-");
    const int day = in.number(2);
    const year_month_day date{std::chrono::year{year},
                              std::chrono::month{static_cast<unsigned>(month)},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (in.failed() || year < 1 || !date.ok()) {
        return std::nullopt;
    }
    return sys_days{date};
}

std::int64_t scan_fraction(Scanner& in) {
    if (!in.next_is('.')) {
        return 0;
    }
    in.mark(".");
    std::int64_t micros = in.number(1);
    std::size_t digits = 1;
    for (; digits < fraction_digits_max && in.next_is_digit(); ++digits) {
        micros = micros * 10 + in.number(1);
    }
    for (; digits < fraction_digits_max; ++digits) {
        micros *= 10;
    }
    return micros;
}

std::optional<std::int64_t> scan_offset_seconds(Scanner& in) {
    const char sign = in.mark("Zz+-");
    if (sign == 'Z' || sign == 'z') {
        return 0;
    }
    const int hours = in.number(2);
    in.mark(":");
    const int minutes = in.number(2);
    if (in.failed() || hours > 23 || minutes > 59) {
        return std::nullopt;
    }
    const int seconds = hours * 3600 + minutes * 60;
    return sign == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<Instant> parse_instant(std::string_view text) {
    Scanner in(text);
    const auto date = scan_date(in);
    in.mark("Tt");
    const int hour = in.number(2);
    in.mark(":");
    const int minute = in.number(2);
    in.mark(":");
    const int second = in.number(2);
    const std::int64_t fraction = scan_fraction(in);
    const auto offset = scan_offset_seconds(in);
    if (!date || !in.done() || !offset) {
        return std::nullopt;
    }
    if (hour > 23 || minute > 59 || second > 59) {
        return std::nullopt;
    }
    const std::int64_t of_day = hour * 3600 + minute * 60 + second - *offset;
    const auto day = microseconds(date->time_since_epoch()).count();
    return Instant{day + of_day * micros_per_second + fraction};
}

std::optional<Instant> parse_date(std::string_view text) {
    if (text.size() != date_length) {
        return std::nullopt;
    }
    Scanner in(text);
    const auto date = scan_date(in);
    if (!date || !in.done()) {
        return std::nullopt;
    }
    return Instant{microseconds(date->time_since_epoch()).count()};
}

std::string to_text(Instant instant) {
    const std::chrono::sys_time<microseconds> when{microseconds(instant.micros)};
    const auto day = std::chrono::floor<days>(when);
    const year_month_day date{day};
    const std::chrono::hh_mm_ss time{when - day};
    return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z"),
                       static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

}  // namespace passbook
