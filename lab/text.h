// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

/// What people read, in every language at once: which of them is shown is known only when it is.

namespace passbook::lab {

enum class Language : std::uint8_t { english, korean };

inline constexpr std::array<Language, 2> languages{Language::english, Language::korean};

/// Written with both languages side by side, so that the compiler refuses a missing one.
class Text {
public:
    Text() = default;
    Text(std::string english, std::string korean)
        : english_(std::move(english)), korean_(std::move(korean)) {}

    [[nodiscard]] const std::string& in(Language language) const noexcept {
        return language == Language::english ? english_ : korean_;
    }
    [[nodiscard]] bool empty() const noexcept {
        return english_.empty();
    }
    friend bool operator==(const Text&, const Text&) = default;

private:
    std::string english_;
    std::string korean_;
};

/// SQL, a name, a number: what is the same in every language.
[[nodiscard]] inline Text verbatim(const std::string& text) {
    return {text, text};
}

/// An argument of `say` as one language has it.
template <class T>
[[nodiscard]] const auto& shown_in(Language language, const T& argument) noexcept {
    if constexpr (std::is_same_v<T, Text>) {
        return argument.in(language);
    } else {
        return argument;
    }
}

template <class T>
using Shown = std::conditional_t<std::is_same_v<T, Text>, std::string, T>;

/// Two sentences with the same arguments, which may be texts themselves. Where a language needs
/// another order, it numbers them: `{1} … {0}`.
template <class... Args>
[[nodiscard]] Text say(fmt::format_string<Shown<Args>...> english,
                       fmt::format_string<Shown<Args>...> korean, const Args&... args) {
    return {fmt::vformat(english, fmt::make_format_args(shown_in(Language::english, args)...)),
            fmt::vformat(korean, fmt::make_format_args(shown_in(Language::korean, args)...))};
}

}  // namespace passbook::lab
