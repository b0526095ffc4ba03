// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/mariadb/connection.h"

namespace passbook::store::mariadb {

/// Brings the database to this program's version. Two that do so at once wait for each other.
///
/// No transaction spans the statements of a step, so the format row comes last, without which
/// nobody works with the store: a migration that was cut off is gone on with by the next. Failure
/// `broken` where the database holds somebody else's tables, or where the store needs a newer
/// release.
void migrate(Connection& connection, const std::string& where);

/// Failure `broken` unless the database is one that this program can work with.
void check_version(Connection& connection, const std::string& where);

}  // namespace passbook::store::mariadb
