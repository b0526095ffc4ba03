// SPDX-License-Identifier: Apache-2.0
// The commands of the ledger as JSON objects. Each kind is read in one place, whether it comes as a
// request of its own, with an id in its path, or as an item of a batch, with all ids in its fields.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "http/fields.h"
#include "ledger/request.h"

namespace passbook::http {

struct CommandKind {
    std::string_view name;
    ledger::Command (*read)(Fields& in);
    bool key_required;
};

/// The kind of that name, or nullptr. PUTs are none: they take no key and are in no batch.
[[nodiscard]] const CommandKind* command_kind(std::string_view name);

[[nodiscard]] ledger::Command read_put_account(Fields& in);
[[nodiscard]] ledger::Command read_put_asset(Fields& in);

/// Completes a command that was read: asks the fields for faults and checks its form.
[[nodiscard]] Result<ledger::Request, Problem> finish(Fields& in, ledger::Command command,
                                                      std::optional<Key> key);

}  // namespace passbook::http
