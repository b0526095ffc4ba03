// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "store/leases.h"

namespace passbook::store::sqlite {

/// The leases of the store in the file at `path`, beside its writer, whom a lease keeps waiting for
/// the moment of its commit.
[[nodiscard]] std::unique_ptr<Leases> open_leases(const std::string& path);

}  // namespace passbook::store::sqlite
