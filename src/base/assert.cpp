// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace passbook {

void assert_failed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "passbook: bug: %s does not hold (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace passbook
