// SPDX-License-Identifier: Apache-2.0
#include "cli/language.h"

#include <cstdlib>
#include <string_view>

namespace passbook::cli {
namespace {

/// As setlocale(3) chooses it: an empty variable counts as none.
std::string_view locale() {
    for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* value = std::getenv(variable);
        if (value != nullptr && *value != '\0') {
            return value;
        }
    }
    return "";
}

}  // namespace

void add_language(CLI::App& app, std::string& named) {
    app.add_option("--lang", named, "Language: en or ko; default by LC_ALL or LANG")
        ->type_name("LANG")
        ->check(CLI::IsMember({"en", "ko"}));
}

lab::Language language_of(const std::string& named) {
    const std::string_view chosen = named.empty() ? locale() : named;
    const bool is_korean = chosen == "ko" || chosen.starts_with("ko_") || chosen.starts_with("ko.");
    return is_korean ? lab::Language::korean : lab::Language::english;
}

}  // namespace passbook::cli
