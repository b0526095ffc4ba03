// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "lock/service.h"
#include "store/advisory.h"

namespace passbook::lock::advisory {

/// Keys that a database server keeps for as long as a session lives: no row, no commit, and free at
/// once when the holder's process dies. Each acquisition has a connection to itself, and belongs to
/// the process that made it: no other renews or releases it, even with its token.
///
/// A session that broke is a loss at once: there is nothing to try again. Where the database hangs,
/// a request may take longer than its deadline (docs/locks.md); holders are told in time.
///
/// Asks the server whether sessions are ours alone: Failure `broken` where they are not,
/// `unavailable` where it does not answer.
[[nodiscard]] std::unique_ptr<Service> open(std::unique_ptr<store::Advisories> advisories);

}  // namespace passbook::lock::advisory
