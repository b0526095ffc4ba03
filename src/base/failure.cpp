// SPDX-License-Identifier: Apache-2.0
#include "base/failure.h"

#include "base/assert.h"

namespace passbook {

std::string_view name_of(FailureKind kind) noexcept {
    switch (kind) {
        case FailureKind::busy:
            return "busy";
        case FailureKind::unavailable:
            return "unavailable";
        case FailureKind::in_doubt:
            return "in_doubt";
        case FailureKind::broken:
            return "broken";
    }
    PASSBOOK_ASSERT(false);
    return "";
}

}  // namespace passbook
