// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/failure.h"

namespace passbook::store::sqlite {

/// Whether the call that failed was the COMMIT: only there can an error leave the outcome open.
enum class During { work, commit };

/// What an extended result code of SQLite means to us (sqlite.org/rescode.html).
[[nodiscard]] FailureKind kind_of(int extended_code, During during) noexcept;

/// Whether a constraint or a guard's RAISE refused the row.
[[nodiscard]] bool is_guard(int extended_code) noexcept;

}  // namespace passbook::store::sqlite
