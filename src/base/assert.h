// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PASSBOOK_ASSERT states what must hold if the code is right. It stays on in release: a ledger
/// that has met a bug must stop before it writes. It is never used for input, which can be wrong,
/// nor for the outside world, which can fail.

namespace passbook {

[[noreturn]] void assert_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace passbook

#define PASSBOOK_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::passbook::assert_failed(#condition, __FILE__, __LINE__))
