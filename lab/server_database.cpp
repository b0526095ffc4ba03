// SPDX-License-Identifier: Apache-2.0
#include "lab/server_database.h"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <random>
#include <stdexcept>

namespace passbook::lab {

std::string temporary_name() {
    static const unsigned of_this_process = std::random_device{}();
    static std::atomic<unsigned> count = 0;
    return fmt::format("passbook_lab_{:08x}_{}", of_this_process, ++count);
}

std::string with_database(std::string_view url, std::string_view name) {
    const std::size_t authority = url.find("://") + 3;
    const std::size_t query = std::min(url.find('?', authority), url.size());
    const std::size_t path = std::min(url.find('/', authority), query);
    return fmt::format("{}/{}{}", url.substr(0, path), name, url.substr(query));
}

std::string with_parameters(std::string_view sql,
                            const std::function<void(std::string&, std::size_t)>& write) {
    std::string out;
    for (std::size_t at = sql.find('?'); at != std::string_view::npos; at = sql.find('?')) {
        out += sql.substr(0, at);
        std::size_t number = 0;
        const char* behind = std::from_chars(&sql[at] + 1, sql.data() + sql.size(), number).ptr;
        write(out, number);
        sql.remove_prefix(static_cast<std::size_t>(behind - sql.data()));
    }
    out += sql;
    return out;
}

std::int64_t integer_of(std::string_view text) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
        throw std::runtime_error(fmt::format("`{}` is no whole number", text));
    }
    return number;
}

void tell_that_it_stays(const std::string& name, const std::string& why) noexcept {
    std::fprintf(stderr, "passbook: lab: the database %s stays: %s\n", name.c_str(), why.c_str());
}

}  // namespace passbook::lab
