// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace passbook::store::mariadb {

/// Opens the store in the database that a `mysql://…` or `mariadb://…` URL names. It must be there,
/// and of this version: only `migrate` creates and upgrades.
///
/// Servers share a store, so they go by the database's clock: where `clock` is the system's, the
/// database's is read in its place. Any other, such as a test's, is obeyed.
///
/// Failure `unavailable`: nobody answers, or nobody who takes writes. Failure `broken`: a URL that
/// cannot be read, no store of ours, one that must be migrated or is of a newer release, a server
/// too old, or a node of a Galera cluster.
[[nodiscard]] std::unique_ptr<Store> open(const std::string& url, Access access,
                                          const Clock& clock);

/// Creates the store, or brings it to this program's version, as the user that the URL names. Any
/// number of programs may do so at once.
void migrate(const std::string& url);

/// Opens anybody's tables, read only: all queries see the instant of the first.
[[nodiscard]] std::unique_ptr<Tables> open_tables(const std::string& url);

/// For `version`: the library's version, and the last step of the schema this program knows.
[[nodiscard]] std::string library_version();
[[nodiscard]] int schema_version();

}  // namespace passbook::store::mariadb
