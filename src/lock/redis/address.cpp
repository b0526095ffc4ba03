// SPDX-License-Identifier: Apache-2.0
#include "lock/redis/address.h"

#include <fmt/format.h>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/failure.h"

namespace passbook::lock::redis {
namespace {

constexpr unsigned replicas_max = 100;

[[noreturn]] void refuse(std::string_view what) {
    throw Failure(FailureKind::broken, fmt::format("the URL of the lock: {}", what));
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        unsigned char byte = 0;
        const std::string_view digits = text.substr(i + 1, 2);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) {
            refuse("a % must be followed by two hexadecimal digits");
        }
        plain += static_cast<char>(byte);
        i += 2;
    }
    return plain;
}

/// Cuts `text` before the first `mark` and returns what stood behind it; nothing where it has none.
std::optional<std::string_view> cut(std::string_view& text, char mark) {
    const auto at = text.find(mark);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const auto behind = text.substr(at + 1);
    text = text.substr(0, at);
    return behind;
}

void take_login(Address& address, std::string_view text) {
    const auto password = cut(text, ':');
    if (!password) {
        refuse("the password stands behind a colon, as in redis://:PASSWORD@HOST");
    }
    address.user = decoded(text);
    address.password = decoded(*password);
}

void take_host(Address& address, std::string_view text) {
    std::optional<std::string_view> port;
    if (text.starts_with('[')) {
        auto behind = cut(text, ']');
        if (!behind || (!behind->empty() && behind->front() != ':')) {
            refuse("an IPv6 address stands in brackets, as in redis://[::1]:6379");
        }
        address.host = text.substr(1);
        port = behind->empty() ? std::nullopt : std::optional(behind->substr(1));
    } else {
        port = cut(text, ':');
        address.host = text;
    }
    if (address.host.empty()) {
        refuse("it names no host, as in redis://127.0.0.1:6379");
    }
    if (port) {
        const auto value = number<std::uint16_t>(*port);
        if (!value || *value == 0) {
            refuse("the port must be a number from 1 to 65535");
        }
        address.port = *value;
    }
}

void take_option(Address& address, std::string_view name, std::string_view value) {
    if (name == "prefix") {
        address.prefix = decoded(value);
    } else if (name == "replicas") {
        const auto count = number<unsigned>(value);
        if (!count || *count > replicas_max) {
            refuse(fmt::format("replicas must be a number from 0 to {}", replicas_max));
        }
        address.replicas = *count;
    } else if (name == "lacking") {
        if (value != "degrade" && value != "refuse") {
            refuse("lacking must be degrade or refuse");
        }
        address.lacking = value == "refuse" ? Lacking::refuse : Lacking::degrade;
    } else {
        refuse(fmt::format("it has no option `{}`, but prefix, replicas and lacking", name));
    }
}

void take_options(Address& address, std::string_view text) {
    while (!text.empty()) {
        const auto rest = cut(text, '&');
        const auto value = cut(text, '=');
        if (!value) {
            refuse(fmt::format("the option `{}` has no value", text));
        }
        take_option(address, text, *value);
        text = rest.value_or("");
    }
}

}  // namespace

Address Address::parse(const std::string& url) {
    constexpr std::string_view scheme = "redis://";
    std::string_view text = url;
    if (text.starts_with("rediss://")) {
        refuse("TLS is not supported (Debian's hiredis has none): use redis:// and a tunnel");
    }
    if (!text.starts_with(scheme)) {
        refuse("it must begin with redis://");
    }
    text.remove_prefix(scheme.size());
    Address address;
    if (const auto options = cut(text, '?')) {
        take_options(address, *options);
    }
    if (const auto database = cut(text, '/'); database && !database->empty()) {
        const auto value = number<unsigned>(*database);
        if (!value) {
            refuse("the database must be a number, as in redis://HOST/0");
        }
        address.database = *value;
    }
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        take_login(address, text.substr(0, at));
        text.remove_prefix(at + 1);
    }
    take_host(address, text);
    return address;
}

std::string Address::describe() const {
    const bool is_v6 = host.find(':') != std::string::npos;
    return fmt::format("redis://{}{}{}:{}/{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port,
                       database);
}

}  // namespace passbook::lock::redis
