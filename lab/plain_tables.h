// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "lab/session.h"
#include "lab/text.h"

/// The tables that most teams begin with: a balance per account, and entries with a unique key.

namespace passbook::lab {

void create_plain_tables(Session& session);

[[nodiscard]] std::int64_t sum_of_balances(Session& session);
[[nodiscard]] std::int64_t sum_of_entries(Session& session);
[[nodiscard]] std::int64_t count_of_entries(Session& session);

/// A, B, … Z, then by number.
[[nodiscard]] Text actor_name(std::size_t number);

}  // namespace passbook::lab
