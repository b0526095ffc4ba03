// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "lock/service.h"
#include "store/leases.h"

namespace passbook::lock::lease {

/// Keys in a table of the store, by its database's clock, with the fences minted there. No other
/// service is needed, and a lock is lost no sooner than the ledger is; each acquisition, renewal
/// and release is a commit. There are no hints between processes: they find out by asking.
///
/// A request may take longer than its deadline where the database hangs: up to the time-outs of
/// the store's links (docs/operations.md). Holders are told in time all the same.
[[nodiscard]] std::unique_ptr<Service> open(std::unique_ptr<store::Leases> leases);

}  // namespace passbook::lock::lease
