// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lab/process.h"
#include "lab/self.h"

/// Processes that keep an account for others: they are asked for grants by a line, answer by a
/// line, and are killed.

namespace passbook::lab {

/// `KEY AMOUNT NUMBER`; the number is noted with the entry as its reason.
[[nodiscard]] std::string asked_for(std::string_view key, std::int64_t amount, std::int64_t number);

struct Kept {
    std::string key;
    bool is_accepted = false;
    bool is_replayed = false;
    std::int64_t seq = 0;
};

/// Of an answer; nothing where that was none, because the keeper is gone.
[[nodiscard]] std::optional<Kept> kept(const std::optional<std::string>& answer);

/// A Passbook engine on the `store`: everything that is asked goes to the account's queue, and is
/// answered when it is committed.
void keep_by_queue(Self& self);

/// What a keeper on plain tables makes of keys, as the trade has it.
///   `none`    nothing: what comes is done
///   `apart`   remembered in a transaction of its own, behind the effect
///   `inside`  remembered in the transaction of the effect
/// It answers one request after the other; `lab_after_effect` and `lab_before_answer` are
/// failpoints.
void keep_by_rows(Self& self);

/// A queue in memory before plain tables. `batch`: how many are written in one transaction.
/// `answers`: on `receipt` or on `commit`. Behind the commit of batch number `stops_after` it says
/// `committed` and writes no more.
void keep_by_memory(Self& self);

inline constexpr const char* kept_account = "wallet";

}  // namespace passbook::lab
