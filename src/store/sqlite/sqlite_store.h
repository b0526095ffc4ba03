// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace passbook::store::sqlite {

/// Opens the store at `path`.
///
/// For writing it takes the lock on `path`.lock first (released by the kernel however the process
/// ends), creates the file where there is none, and applies the steps of the schema that are
/// missing. For reading it takes no lock, needs a store of this version, and never writes or
/// checkpoints.
///
/// Failure `busy`: another process holds the store. Failure `unavailable`: the file can't be
/// opened. Failure `broken`: no store of ours, one of a newer release, or a library with the
/// WAL-reset bug.
[[nodiscard]] std::unique_ptr<Store> open(const std::string& path, Access access,
                                          const Clock& clock);

/// Opens anybody's SQLite file, read only.
[[nodiscard]] std::unique_ptr<Tables> open_tables(const std::string& path);

/// For `version`: the library's version, and the last step of the schema this program knows.
[[nodiscard]] std::string library_version();
[[nodiscard]] int schema_version();

}  // namespace passbook::store::sqlite
