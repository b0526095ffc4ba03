// SPDX-License-Identifier: Apache-2.0
#include "store/server.h"

namespace passbook::store {

void throw_as(Meaning meaning, const std::string& what, const std::string& native) {
    switch (meaning) {
        case Meaning::conflict:
            throw Conflict(what, native);
        case Meaning::guard:
            throw GuardFired(FailureKind::broken, what, native);
        case Meaning::key_used:
            throw KeyUsed(what);
        case Meaning::unavailable:
            throw Failure(FailureKind::unavailable, what, native);
        case Meaning::in_doubt:
            throw Failure(FailureKind::in_doubt, what, native);
        case Meaning::broken:
            break;
    }
    throw Failure(FailureKind::broken, what, native);
}

}  // namespace passbook::store
