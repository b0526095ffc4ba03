// SPDX-License-Identifier: Apache-2.0
#include "lock/words.h"

#include <cstdlib>

namespace passbook::lock {

std::string_view name_of(Acquired result) noexcept {
    switch (result) {
        case Acquired::acquired:
            return "acquired";
        case Acquired::busy:
            return "busy";
        case Acquired::timeout:
            return "timeout";
        case Acquired::unavailable:
            return "unavailable";
        case Acquired::cancelled:
            return "cancelled";
    }
    std::abort();
}

std::string_view name_of(Released result) noexcept {
    switch (result) {
        case Released::released:
            return "released";
        case Released::already_expired:
            return "already_expired";
        case Released::not_owner:
            return "not_owner";
        case Released::unknown:
            return "unknown";
    }
    std::abort();
}

std::string_view name_of(Loss reason) noexcept {
    switch (reason) {
        case Loss::expired:
            return "expired";
        case Loss::stolen:
            return "stolen";
        case Loss::unreachable:
            return "unreachable";
        case Loss::shutdown:
            return "shutdown";
    }
    std::abort();
}

std::string_view name_of(Renewed result) noexcept {
    switch (result) {
        case Renewed::renewed:
            return "renewed";
        case Renewed::gone:
            return "gone";
        case Renewed::taken:
            return "taken";
        case Renewed::unknown:
            return "unknown";
    }
    std::abort();
}

}  // namespace passbook::lock
