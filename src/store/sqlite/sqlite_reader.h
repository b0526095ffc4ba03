// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace passbook::store::sqlite {

/// A connection of its own to the store at `path`, read only: WAL lets it read beside the writer,
/// and it never checkpoints, not even when it closes.
[[nodiscard]] std::unique_ptr<Reader> open_reader(const std::string& path, const Clock& clock);

}  // namespace passbook::store::sqlite
