// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ledger/state.h"
#include "store/fences.h"
#include "store/wanted.h"

namespace passbook::store::mariadb {

// As the JSON that the look-ups in queries.h take.
[[nodiscard]] std::string json_of(const std::vector<AccountPlace>& accounts);
[[nodiscard]] std::string json_of(const std::vector<ledger::SubjectKey>& keys);
[[nodiscard]] std::string json_of(const std::vector<EntryId>& ids);
[[nodiscard]] std::string json_of(const std::vector<AssetCode>& codes);
[[nodiscard]] std::string json_of(const Fences& fences);

}  // namespace passbook::store::mariadb
