// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace passbook {

/// The release this binary was built from, as in `0.1.0`.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace passbook
