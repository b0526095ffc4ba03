// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/server.h"

namespace passbook::store::mariadb {

/// How far a transaction had come when the database said no.
enum class During {
    work,    ///< COMMIT was not sent.
    commit,  ///< COMMIT itself failed.
};

/// What an error number means to us (mariadb.com/kb/en/mariadb-error-code-reference); those from
/// 2000 on are the client library's.
[[nodiscard]] Meaning meaning_of(unsigned code, During during) noexcept;

/// Whether behind it the link is gone.
[[nodiscard]] bool is_lost(unsigned code) noexcept;

}  // namespace passbook::store::mariadb
