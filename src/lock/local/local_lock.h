// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "lock/service.h"

namespace passbook::lock::local {

/// Keys that are kept in this process alone, for a store that only one process writes, and for
/// tests. They end with the process and, like everybody's, with their TTL.
[[nodiscard]] std::unique_ptr<Service> open();

}  // namespace passbook::lock::local
