// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/state.h"
#include "store/postgres/parameters.h"
#include "store/wanted.h"

namespace passbook::store::postgres {

// As the leading parameters of the statements in queries.h.
[[nodiscard]] Parameters parameters_of(const std::vector<AccountPlace>& accounts);
[[nodiscard]] Parameters parameters_of(const std::vector<ledger::SubjectKey>& keys);
[[nodiscard]] Parameters parameters_of(const std::vector<EntryId>& ids);
[[nodiscard]] Array array_of(const std::vector<AssetCode>& codes);

}  // namespace passbook::store::postgres
