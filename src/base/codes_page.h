// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace passbook {

/// docs/errors.md, made from the table of codes; a test holds the committed page to it.
[[nodiscard]] std::string codes_page();

}  // namespace passbook
