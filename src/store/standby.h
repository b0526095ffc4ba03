// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "store/store.h"

/// A copy of a store that follows it and may be behind. It has no writer, and nothing is ever
/// decided on what it shows.

namespace passbook::store {

/// How far a standby has come.
struct Position {
    std::string log;  ///< A place in the log of the database, in the words of the database.
    /// What it shows is the store as it was at most so long ago; nothing where it cannot tell.
    std::optional<std::chrono::seconds> stale;
};

/// One connection to a standby; used by one thread at a time.
class StandbyReader {
public:
    virtual ~StandbyReader() = default;

    /// What `rows` shows afterwards holds everything up to here, and maybe more.
    [[nodiscard]] virtual Position position() = 0;

    [[nodiscard]] virtual Reader& rows() = 0;
};

class Standby {
public:
    virtual ~Standby() = default;

    [[nodiscard]] virtual std::string describe() const = 0;             ///< As Store::describe.
    [[nodiscard]] virtual std::unique_ptr<StandbyReader> reader() = 0;  ///< Any thread.
};

}  // namespace passbook::store
