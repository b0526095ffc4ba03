// SPDX-License-Identifier: Apache-2.0
// How a route that writes is made: its body becomes one command, the command goes to its lane, and
// the answer comes back as its outcome.
#pragma once

#include "http/api.h"
#include "http/commands.h"

namespace passbook::http {

/// A route for one kind of command. The first `{…}` of the pattern gives the field `path_field`.
[[nodiscard]] Route command_route(Service& service, std::string_view pattern, std::string_view kind,
                                  std::string_view path_field = {});

/// A PUT whose body, with the id of its path, is read by `read`.
[[nodiscard]] Route put_route(Service& service, std::string_view pattern,
                              ledger::Command (*read)(Fields&), std::string_view path_field);

}  // namespace passbook::http
