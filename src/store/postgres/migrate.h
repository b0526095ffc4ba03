// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/postgres/connection.h"

namespace passbook::store::postgres {

/// Brings the schema to this program's version, all missing steps in one transaction. Two that do
/// so at once wait for each other. Failure `broken` where a schema of the name is another
/// program's, where the store needs a newer release, or where the encoding is not UTF8.
void migrate(Connection& connection, const std::string& where);

/// Failure `broken` unless the schema is one that this program can work with.
void check_version(Connection& connection, const std::string& where);

}  // namespace passbook::store::postgres
