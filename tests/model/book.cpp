// SPDX-License-Identifier: Apache-2.0
#include "tests/model/book.h"

#include <fmt/format.h>

namespace passbook::model {
namespace {

AccountId account_id(int index) {
    return AccountId::trusted(account_name(index));
}

EntryId counted_back(const std::vector<EntryId>& made, int target) {
    const auto back = static_cast<std::size_t>(target);
    return back < made.size() ? made[made.size() - 1 - back] : EntryId{account_id(0), 999};
}

std::string line_of(const ledger::Record& record) {
    const ledger::Entry& subject = record.subject();
    return fmt::format("done seq {} balance {} held {}", subject.seq, subject.balance_after,
                       subject.held_after);
}

}  // namespace

std::string Book::apply(const Step& step) {
    if (step.op == Op::wait) {
        clock_.advance_seconds(wait_seconds);
        return "";
    }
    auto request = ledger::prepare(
        {.action = action_of(step), .key = Key::trusted("k" + std::to_string(step.key))});
    if (!request) {
        return std::string(name(request.error().code));
    }
    const ledger::Answer answer = answering_(*request);
    const std::string replayed = answer.replayed ? " replayed" : "";
    if (const auto* rejection = std::get_if<ledger::Rejection>(&answer.body)) {
        return std::string(name(rejection->code));
    }
    if (const auto* refusal = std::get_if<ledger::Refusal>(&answer.body)) {
        return std::string(name(refusal->code)) + replayed;
    }
    const auto& record = std::get<ledger::Record>(answer.body);
    if (!answer.replayed) {
        remember(record);
    }
    return line_of(record) + replayed;
}

ledger::Action Book::action_of(const Step& step) const {
    const AccountId account = account_id(step.account);
    switch (step.op) {
        case Op::spend:
            return ledger::Spend{account, step.amount, {}};
        case Op::transfer:
            return ledger::Transfer{account, account_id(step.other), step.amount};
        case Op::hold:
            return ledger::PlaceHold{account, step.amount, hold_seconds};
        case Op::commit:
            return ledger::CommitHold{counted_back(holds_, step.target), step.amount, {}};
        case Op::void_hold:
            return ledger::VoidHold{counted_back(holds_, step.target)};
        case Op::reverse:
            return ledger::Reverse{counted_back(transactions_, step.target), {}, {}};
        case Op::freeze:
            return ledger::SetStatus{account, ledger::EntryKind::freeze};
        case Op::unfreeze:
            return ledger::SetStatus{account, ledger::EntryKind::unfreeze};
        case Op::grant:
        case Op::wait:
            break;
    }
    return ledger::Grant{account, step.amount, {}};
}

void Book::remember(const ledger::Record& record) {
    const ledger::Entry& subject = record.subject();
    const EntryId id = subject.id();
    if (subject.kind == ledger::EntryKind::hold) {
        holds_.push_back(id);
    }
    switch (subject.kind) {
        case ledger::EntryKind::grant:
        case ledger::EntryKind::spend:
        case ledger::EntryKind::transfer:
        case ledger::EntryKind::reverse:
            transactions_.push_back(id);
            break;
        default:
            break;
    }
}

}  // namespace passbook::model
