// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

/// What the temporary databases on both kinds of servers share.

namespace passbook::lab {

/// After how long a statement is told that it waits in vain.
inline constexpr int wait_seconds_max = 60;

/// No other database has it: `passbook_lab_` and more, of letters, digits and underscores.
[[nodiscard]] std::string temporary_name();

/// The URL of another database of the same server.
[[nodiscard]] std::string with_database(std::string_view url, std::string_view name);

/// The statement with whatever `write(number)` appends for each of its parameters.
[[nodiscard]] std::string with_parameters(
    std::string_view sql, const std::function<void(std::string&, std::size_t number)>& write);

/// A text that a server wrote of a whole number. Throws std::runtime_error.
[[nodiscard]] std::int64_t integer_of(std::string_view text);

/// For people, on standard error: a destructor can do no more.
void tell_that_it_stays(const std::string& name, const std::string& why) noexcept;

}  // namespace passbook::lab
