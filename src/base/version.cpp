// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

namespace passbook {

std::string_view version() noexcept {
    return PASSBOOK_VERSION;
}

}  // namespace passbook
