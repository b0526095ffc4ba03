// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ledger/entry.h"

namespace passbook::audit {

/// What an entry of this kind must carry and this one does not, as a phrase; nothing where its
/// shape is right. Written apart from the rules that make entries, so that one cannot hide the
/// other's mistake.
[[nodiscard]] std::optional<std::string> shape_fault(const ledger::Entry& entry);

}  // namespace passbook::audit
