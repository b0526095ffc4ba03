// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/failure.h"

namespace passbook::store::postgres {

/// How far a transaction had come when the database said no.
enum class During {
    work,         ///< COMMIT was not sent.
    with_commit,  ///< COMMIT was on its way behind the statement that failed.
    commit,       ///< COMMIT itself failed.
};

/// The kinds of failure, and the two that the writer acts on.
enum class Meaning { conflict, guard, unavailable, in_doubt, broken };

/// What a SQLSTATE means to us (postgresql.org/docs/15/errcodes-appendix.html); an empty one stands
/// for a link that broke without a word.
[[nodiscard]] Meaning meaning_of(std::string_view sqlstate, During during) noexcept;

/// Throws Conflict, GuardFired or Failure.
[[noreturn]] void throw_as(Meaning meaning, const std::string& what, const std::string& sqlstate);

}  // namespace passbook::store::postgres
