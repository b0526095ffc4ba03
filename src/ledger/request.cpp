// SPDX-License-Identifier: Apache-2.0
#include "ledger/request.h"

#include <fmt/format.h>
#include <set>

#include "base/planted.h"
#include "ledger/asset.h"

namespace passbook::ledger {
namespace {

using Checked = std::optional<Rejection>;

Checked wrong_amount(Amount amount) {
    if (amount >= 1 && amount <= amount_max) {
        return std::nullopt;
    }
    return Rejection{Code::amount_invalid,
                     fmt::format("amount is {}; it must be 1 to {}.", amount, amount_max)};
}

Checked wrong_limits(const std::optional<std::optional<Amount>>& floor,
                     const std::optional<std::optional<Amount>>& ceiling) {
    for (const auto& limit : {floor, ceiling}) {
        if (limit && *limit && !in_range(**limit)) {
            return Rejection{
                Code::amount_invalid,
                fmt::format("A limit of {} is beyond plus or minus {}.", **limit, amount_max)};
        }
    }
    return std::nullopt;
}

Checked wrong_postings(const std::vector<Posting>& postings) {
    if (postings.empty() || postings.size() > postings_max) {
        return Rejection{Code::invalid_value,
                         fmt::format("postings has {} items; 1 to {} are taken.", postings.size(),
                                     postings_max)};
    }
    std::set<std::string_view> seen;
    for (const Posting& posting : postings) {
        if (posting.amount == 0 || !in_range(posting.amount)) {
            return Rejection{
                Code::amount_invalid,
                fmt::format("The posting on account {} has amount {}; it must not be 0 "
                            "and lie within plus or minus {}.",
                            posting.account.text(), posting.amount, amount_max)};
        }
        if (!seen.insert(posting.account.text()).second && !planted(Bug::account_twice)) {
            return Rejection{
                Code::duplicate_account,
                fmt::format("Account {} stands twice among the postings.", posting.account.text())};
        }
    }
    return std::nullopt;
}

Checked wrong(const Grant& grant) {
    return wrong_amount(grant.amount);
}
Checked wrong(const Spend& spend) {
    return wrong_amount(spend.amount);
}
Checked wrong(const Transfer& transfer) {
    if (transfer.from == transfer.to) {
        return Rejection{Code::same_account,
                         fmt::format("from and to are both {}.", transfer.from.text())};
    }
    return wrong_amount(transfer.amount);
}
Checked wrong(const Transact& transact) {
    return wrong_postings(transact.postings);
}
Checked wrong(const Reverse& reverse) {
    if (reverse.amount && !reverse.postings.empty()) {
        return Rejection{Code::invalid_value, "Give amount or postings, not both."};
    }
    if (reverse.amount) {
        return wrong_amount(*reverse.amount);
    }
    return reverse.postings.empty() ? std::nullopt : wrong_postings(reverse.postings);
}
Checked wrong(const PlaceHold& hold) {
    if (hold.expires_in && (*hold.expires_in < 1 || *hold.expires_in > hold_seconds_max)) {
        return Rejection{Code::invalid_value,
                         fmt::format("expires_in is {}; it must be 1 to {} seconds.",
                                     *hold.expires_in, hold_seconds_max)};
    }
    return wrong_amount(hold.amount);
}
Checked wrong(const CommitHold& commit) {
    return commit.amount ? wrong_amount(*commit.amount) : std::nullopt;
}
Checked wrong(const VoidHold&) {
    return std::nullopt;
}
Checked wrong(const SetStatus&) {
    return std::nullopt;
}
Checked wrong(const PutAccount& put) {
    if (put.metadata && put.metadata->size() > metadata_bytes_max) {
        return Rejection{Code::invalid_value,
                         fmt::format("metadata is over {} bytes.", metadata_bytes_max)};
    }
    return wrong_limits(put.floor, put.ceiling);
}
Checked wrong(const PutAsset& put) {
    if (put.scale && (*put.scale < 0 || *put.scale > scale_max)) {
        return Rejection{Code::invalid_value,
                         fmt::format("scale is {}; it must be 0 to {}.", *put.scale, scale_max)};
    }
    // An account opens with balance 0, which its limits must allow.
    if ((put.floor && *put.floor && **put.floor > 0) ||
        (put.ceiling && *put.ceiling && **put.ceiling < 0)) {
        return Rejection{Code::invalid_value,
                         "An asset's floor must be at most 0 and its ceiling at least 0."};
    }
    return wrong_limits(put.floor, put.ceiling);
}

Checked wrong_key(const Command& command) {
    const bool is_put = std::holds_alternative<PutAccount>(command.action) ||
                        std::holds_alternative<PutAsset>(command.action);
    if (is_put && command.key) {
        return Rejection{Code::idempotency_key_not_taken, "A PUT takes no idempotency key."};
    }
    if (!is_put && !command.key && !std::holds_alternative<SetStatus>(command.action)) {
        return Rejection{Code::idempotency_key_missing, "The command has no idempotency key."};
    }
    return std::nullopt;
}

Checked wrong_labels(const Command& command) {
    if (command.reason && command.reason->size() > reason_bytes_max) {
        return Rejection{Code::invalid_value,
                         fmt::format("reason is over {} bytes.", reason_bytes_max)};
    }
    if (command.metadata && command.metadata->size() > metadata_bytes_max) {
        return Rejection{Code::invalid_value,
                         fmt::format("metadata is over {} bytes.", metadata_bytes_max)};
    }
    return std::nullopt;
}

}  // namespace

Result<Request, Rejection> prepare(Command command) {
    Checked found = wrong_key(command);
    if (!found) {
        found = wrong_labels(command);
    }
    if (!found) {
        found = std::visit([](const auto& action) { return wrong(action); }, command.action);
    }
    if (found) {
        return fail(std::move(*found));
    }

    Request request{.command = std::move(command)};
    const Action& action = request.command.action;
    if (request.command.key) {
        request.fingerprint = fingerprint(request.command);
    }
    if (const AccountId* subject = subject_of(action)) {
        request.shard = shard_of(subject->text());
    }
    return request;
}

}  // namespace passbook::ledger
