// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "store/server.h"

namespace passbook::store::postgres {

/// How far a transaction had come when the database said no.
enum class During {
    work,         ///< COMMIT was not sent.
    with_commit,  ///< COMMIT was on its way behind the statement that failed.
    commit,       ///< COMMIT itself failed.
};

/// What a SQLSTATE means to us (postgresql.org/docs/15/errcodes-appendix.html); an empty one stands
/// for a link that broke without a word.
[[nodiscard]] Meaning meaning_of(std::string_view sqlstate, During during) noexcept;

}  // namespace passbook::store::postgres
