// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/address.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "base/failure.h"

namespace passbook::store::mariadb {
namespace {

constexpr std::uint16_t usual_port = 3306;
constexpr unsigned time_max = 86'400;

struct TimeOut {
    std::string_view option;
    unsigned Settings::* field;
    unsigned least;
    unsigned write;
    unsigned read;
    unsigned others;
};

/// We wait for an answer longer than the server works on it, so that its word comes first. The
/// link's own time-out ends what the server does not time, such as a COMMIT that waits for a
/// replica. A snapshot may be walked for long, and keeps no writer waiting.
constexpr TimeOut time_outs[] = {
    {"connect_timeout", &Settings::connect_timeout, 1, 5, 5, 5},
    {"read_timeout", &Settings::read_timeout, 0, 15, 90, 0},
    {"write_timeout", &Settings::write_timeout, 0, 15, 15, 15},
    {"lock_timeout", &Settings::lock_timeout, 1, 5, 5, time_max},
    {"statement_timeout", &Settings::statement_timeout, 0, 10, 60, 0},
    {"idle_timeout", &Settings::idle_timeout, 0, 15, 0, 0},
};

struct Text {
    std::string_view option;
    std::string Settings::* field;
};

constexpr Text texts[] = {
    {"socket", &Settings::socket}, {"defaults_file", &Settings::defaults_file},
    {"ssl_ca", &Settings::ca},     {"ssl_cert", &Settings::certificate},
    {"ssl_key", &Settings::key},
};

[[noreturn]] void refuse(const std::string& why) {
    throw Failure(FailureKind::broken,
                  fmt::format("the store's URL cannot be read ({}); it has the form "
                              "mysql://user@host:port/database?option=value",
                              why));
}

unsigned seconds(const TimeOut& time_out, std::string_view text) {
    unsigned value = 0;
    const auto read = std::from_chars(text.begin(), text.end(), value);
    if (read.ec != std::errc{} || read.ptr != text.end() || value < time_out.least ||
        value > time_max) {
        refuse(fmt::format("{} is a number of seconds from {} to {}", time_out.option,
                           time_out.least, time_max));
    }
    return value;
}

Tls tls_of(std::string_view text) {
    if (text == "off") {
        return Tls::off;
    }
    if (text == "required") {
        return Tls::required;
    }
    if (text == "verified") {
        return Tls::verified;
    }
    refuse("ssl is one of off, required, verified");
}

template <class Known>
const Known* known(const Known* begin, const Known* end, std::string_view option) {
    const auto* found =
        std::find_if(begin, end, [&](const Known& each) { return each.option == option; });
    return found == end ? nullptr : found;
}

/// As a part of a URL: what could end it, or start another part, in percent signs.
std::string escaped(std::string_view text) {
    constexpr std::string_view special = "%/@:?#[]&";
    std::string out;
    for (const char c : text) {
        if (special.find(c) != std::string_view::npos || c <= ' ' || c == '\x7F') {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out;
}

std::string unescaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        if (text.front() != '%') {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        unsigned byte = 0;
        const std::string_view digits = text.substr(1, 2);
        const auto read = std::from_chars(digits.begin(), digits.end(), byte, 16);
        if (digits.size() != 2 || read.ec != std::errc{} || read.ptr != digits.end()) {
            refuse("a percent sign in it must be written %25");
        }
        out += static_cast<char>(byte);
        text.remove_prefix(3);
    }
    return out;
}

/// Takes what stands in front of `separator`, and the separator, off `text`; all of it where there
/// is none.
std::string_view cut(std::string_view& text, char separator) {
    const auto end = text.find(separator);
    const std::string_view front = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return front;
}

std::uint16_t port_of(std::string_view text) {
    std::uint16_t port = 0;
    const auto read = std::from_chars(text.begin(), text.end(), port);
    if (read.ec != std::errc{} || read.ptr != text.end() || port == 0) {
        refuse("the port is a number from 1 to 65535");
    }
    return port;
}

}  // namespace

Address::Address(const std::string& url) {
    std::string_view rest = url;
    const auto behind_scheme = rest.find("://");
    if (behind_scheme == std::string_view::npos || rest.find('#') != std::string_view::npos) {
        refuse("a # in it must be written %23");
    }
    rest.remove_prefix(behind_scheme + 3);
    std::string_view place = cut(rest, '?');
    take_options(rest);
    std::string_view authority = cut(place, '/');
    if (place.empty() || place.find('/') != std::string_view::npos) {
        refuse("it names no database");
    }
    given_.database = unescaped(place);
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        std::string_view account = authority.substr(0, at);
        authority.remove_prefix(at + 1);
        given_.user = unescaped(cut(account, ':'));
        given_.password = unescaped(account);
    }
    take_host(authority);
}

void Address::take_host(std::string_view text) {
    const bool is_v6 = text.starts_with('[');
    const auto end = is_v6 ? text.find(']') : text.find(':');
    if (is_v6 && end == std::string_view::npos) {
        refuse("a [ in it is never closed");
    }
    given_.host = unescaped(is_v6 ? text.substr(1, end - 1) : text.substr(0, end));
    std::string_view port = end == std::string_view::npos ? "" : text.substr(end);
    if (is_v6) {
        port.remove_prefix(1);
    }
    if (!port.empty() && port.front() != ':') {
        refuse("the port stands behind a colon");
    }
    has_port_ = port.size() > 1;
    given_.port = has_port_ ? port_of(port.substr(1)) : usual_port;
}

void Address::take_options(std::string_view text) {
    while (!text.empty()) {
        std::string_view value = cut(text, '&');
        const std::string option = unescaped(cut(value, '='));
        take_option(option, unescaped(value));
    }
    const bool has_files = !given_.ca.empty() || !given_.certificate.empty() || !given_.key.empty();
    if (has_files && given_.tls == Tls::off) {
        refuse("ssl_ca, ssl_cert and ssl_key go with ssl=required or ssl=verified");
    }
}

void Address::take_option(const std::string& option, const std::string& value) {
    if (const auto* time_out = known(std::begin(time_outs), std::end(time_outs), option)) {
        times_[option] = seconds(*time_out, value);
    } else if (const auto* text = known(std::begin(texts), std::end(texts), option)) {
        given_.*(text->field) = value;
    } else if (option == "ssl") {
        given_.tls = tls_of(value);
    } else {
        refuse(fmt::format("the option `{}` is unknown", option));
    }
}

std::string Address::describe() const {
    const bool is_v6 = given_.host.find(':') != std::string::npos;
    return fmt::format("mysql://{}{}{}{}/{}", escaped(given_.user), given_.user.empty() ? "" : "@",
                       is_v6 ? fmt::format("[{}]", given_.host) : escaped(given_.host),
                       has_port_ ? fmt::format(":{}", given_.port) : "", escaped(given_.database));
}

Settings Address::settings(Purpose purpose) const {
    Settings all = given_;
    for (const TimeOut& time_out : time_outs) {
        const auto said = times_.find(time_out.option);
        all.*(time_out.field) = said != times_.end()        ? said->second
                                : purpose == Purpose::write ? time_out.write
                                : purpose == Purpose::read  ? time_out.read
                                                            : time_out.others;
    }
    return all;
}

}  // namespace passbook::store::mariadb
