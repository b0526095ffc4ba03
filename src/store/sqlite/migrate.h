// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/sqlite/connection.h"

namespace passbook::store::sqlite {

/// Brings the schema to this program's version, all missing steps in one transaction. Failure
/// `broken` where the file is another program's database or needs a newer release.
void migrate(Connection& connection, const std::string& path);

/// Failure `broken` unless the schema is one that this program can read.
void check_version(Connection& connection, const std::string& path);

}  // namespace passbook::store::sqlite
