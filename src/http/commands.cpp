// SPDX-License-Identifier: Apache-2.0
#include "http/commands.h"

#include <algorithm>
#include <array>

#include "http/outcome.h"
#include "ledger/asset.h"

namespace passbook::http {
namespace {

using ledger::Command;
using ledger::EntryKind;

/// What a command may say besides what it does.
Command labelled(Fields& in, ledger::Action action) {
    return {.action = std::move(action),
            .reason = in.optional_text("reason", ledger::reason_bytes_max),
            .metadata = in.optional_metadata("metadata", ledger::metadata_bytes_max)};
}

Command dated(Fields& in, ledger::Action action) {
    Command command = labelled(in, std::move(action));
    command.effective_at = in.optional_time("effective_at");
    return command;
}

std::vector<ledger::Posting> postings(Fields& in, const std::optional<Value>& list,
                                      bool with_asset) {
    std::vector<ledger::Posting> postings;
    if (!list) {
        return postings;
    }
    postings.reserve(list->size());
    const Place here{in.place(), "postings"};
    std::size_t index = 0;
    for (const Value element : list->children()) {
        const Place at{&here, {}, index++};
        Fields posting(element, &at);
        postings.push_back({.account = posting.account("account"),
                            .amount = posting.signed_amount("amount"),
                            .asset = with_asset ? posting.optional_asset("asset") : std::nullopt});
        if (const auto& problem = posting.problem()) {
            in.refuse(*problem);
            break;
        }
    }
    return postings;
}

Command read_grant(Fields& in) {
    return dated(in, ledger::Grant{.account = in.account("account"),
                                   .amount = in.positive_amount("amount"),
                                   .asset = in.optional_asset("asset")});
}

Command read_spend(Fields& in) {
    return dated(in, ledger::Spend{.account = in.account("account"),
                                   .amount = in.positive_amount("amount"),
                                   .asset = in.optional_asset("asset")});
}

Command read_transfer(Fields& in) {
    return dated(in, ledger::Transfer{.from = in.account("from"),
                                      .to = in.account("to"),
                                      .amount = in.positive_amount("amount")});
}

Command read_transaction(Fields& in) {
    const auto list = in.array("postings", 1, ledger::postings_max);
    return dated(in, ledger::Transact{.postings = postings(in, list, true)});
}

Command read_reverse(Fields& in) {
    ledger::Reverse reverse{.transaction = in.entry_id("transaction"),
                            .amount = in.optional_positive_amount("amount"),
                            .postings = {}};
    const auto list = in.optional_array("postings", 1, ledger::postings_max);
    reverse.postings = postings(in, list, false);
    return labelled(in, std::move(reverse));
}

Command read_hold(Fields& in) {
    return labelled(in, ledger::PlaceHold{.account = in.account("account"),
                                          .amount = in.positive_amount("amount"),
                                          .expires_in = in.optional_integer(
                                              "expires_in", 1, ledger::hold_seconds_max)});
}

Command read_commit(Fields& in) {
    return labelled(in, ledger::CommitHold{.hold = in.entry_id("hold"),
                                           .amount = in.optional_positive_amount("amount"),
                                           .to = in.optional_account("to")});
}

Command read_void(Fields& in) {
    return labelled(in, ledger::VoidHold{.hold = in.entry_id("hold")});
}

Command read_freeze(Fields& in) {
    return labelled(in, ledger::SetStatus{in.account("account"), EntryKind::freeze});
}

Command read_unfreeze(Fields& in) {
    return labelled(in, ledger::SetStatus{in.account("account"), EntryKind::unfreeze});
}

Command read_close(Fields& in) {
    return labelled(in, ledger::SetStatus{in.account("account"), EntryKind::close});
}

constexpr auto kinds = std::to_array<CommandKind>({
    {"grant", read_grant, true},
    {"spend", read_spend, true},
    {"transfer", read_transfer, true},
    {"transaction", read_transaction, true},
    {"reverse", read_reverse, true},
    {"hold", read_hold, true},
    {"commit", read_commit, true},
    {"void", read_void, true},
    {"freeze", read_freeze, false},
    {"unfreeze", read_unfreeze, false},
    {"close", read_close, false},
});

/// An absent limit keeps what is; a given one may be none.
std::optional<std::optional<Amount>> change_of(const LimitField& limit) {
    if (!limit.given) {
        return std::nullopt;
    }
    return limit.value;
}

}  // namespace

const CommandKind* command_kind(std::string_view name) {
    const auto* at = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const CommandKind& kind) { return kind.name == name; });
    return at == kinds.end() ? nullptr : &*at;
}

ledger::Command read_put_account(Fields& in) {
    return {.action = ledger::PutAccount{
                .account = in.account("id"),
                .asset = in.optional_asset("asset"),
                .floor = change_of(in.limit("floor", -amount_max, amount_max)),
                .ceiling = change_of(in.limit("ceiling", -amount_max, amount_max)),
                .metadata = in.optional_metadata("metadata", ledger::metadata_bytes_max),
                .if_absent = in.optional_boolean("if_absent").value_or(false)}};
}

ledger::Command read_put_asset(Fields& in) {
    auto code = in.asset("code");
    const auto scale = in.optional_integer("scale", 0, ledger::scale_max);
    return {.action = ledger::PutAsset{
                .asset = std::move(code),
                .scale = scale ? std::optional(static_cast<int>(*scale)) : std::nullopt,
                .balanced = in.optional_boolean("balanced"),
                .open_on_first_credit = in.optional_boolean("open_on_first_credit"),
                .floor = change_of(in.limit("floor", -amount_max, 0)),
                .ceiling = change_of(in.limit("ceiling", 0, amount_max))}};
}

Result<ledger::Request, Problem> finish(Fields& in, ledger::Command command,
                                        std::optional<Key> key) {
    if (const auto& problem = in.problem()) {
        return fail(*problem);
    }
    command.key = std::move(key);
    auto request = ledger::prepare(std::move(command));
    if (!request) {
        return fail(problem_of(request.error()));
    }
    return std::move(*request);
}

}  // namespace passbook::http
