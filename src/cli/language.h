// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lab/text.h"

namespace passbook::cli {

/// Adds `--lang en|ko`, which sets `named`.
void add_language(CLI::App& app, std::string& named);

/// The one named; where none is, that of LC_ALL, LC_MESSAGES or LANG, whichever is set first, and
/// English for all that is not Korean.
[[nodiscard]] lab::Language language_of(const std::string& named);

}  // namespace passbook::cli
