// SPDX-License-Identifier: Apache-2.0
// The rows of the ledger as JSON: what clients see of accounts, assets, entries, holds,
// transactions.
//
// A transaction is shown from its entries alone and shows what was true when it was done. That is
// why a replay is byte for byte the first answer, and why a stored `format` is never rendered anew.
#pragma once

#include <optional>
#include <string>

#include "base/id.h"
#include "http/json_writer.h"
#include "ledger/account.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "ledger/state.h"
#include "store/store.h"

namespace passbook::http {

void write_asset(JsonWriter& out, const ledger::Asset& asset);

/// `due` is the part of `held` whose holds have fallen due: shown as free already.
void write_account(JsonWriter& out, const ledger::Account& account, Amount due);

/// One line of the passbook.
void write_line(JsonWriter& out, const ledger::Entry& entry);

/// A transaction as its write was answered. `reversed` (of `store::Reader::transaction`) adds to
/// each entry what its reversals sum up to; absent in answers to writes.
void write_record(JsonWriter& out, const ledger::Record& record,
                  const std::vector<Amount>* reversed = nullptr);

/// A hold as it is at `now`: one whose time has passed reads `expired`, released or not.
void write_hold(JsonWriter& out, const ledger::Hold& hold, Instant now);

}  // namespace passbook::http
