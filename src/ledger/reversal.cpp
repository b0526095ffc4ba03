// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/assert.h"
#include "base/planted.h"
#include "ledger/plan.h"

namespace passbook::ledger {
namespace {

/// One entry of the original with what is left of it to take back, signed as the entry is.
struct Part {
    const Entry* entry;
    Amount left;
};

std::optional<Refusal> refused_by_kind(EntryKind kind) {
    switch (kind) {
        case EntryKind::grant:
        case EntryKind::spend:
        case EntryKind::transfer:
        case EntryKind::transaction:
            return std::nullopt;
        case EntryKind::hold:
        case EntryKind::commit:
        case EntryKind::void_hold:
        case EntryKind::expire:
            return Refusal{Code::owned, {}, {}};
        case EntryKind::reverse:
        case EntryKind::freeze:
        case EntryKind::unfreeze:
        case EntryKind::close:
        case EntryKind::limits:
            return Refusal{Code::not_reversible, {}, {}};
    }
    PASSBOOK_ASSERT(false);
    return std::nullopt;
}

std::vector<Part> parts_of(const Original& original) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < original.record.entries.size(); ++i) {
        const Entry& entry = original.record.entries[i];
        const Amount gone = planted(Bug::refund_cap_per_call) ? 0 : original.reversed[i];
        parts.push_back({&entry, entry.amount + gone});
    }
    return parts;
}

Move taking_back(const Part& part, Amount amount) {
    Move move{.account = part.entry->account};
    move.kind = EntryKind::reverse;
    move.amount = amount;
    move.reverses = part.entry->seq;
    return move;
}

/// Whether one amount says it all: one posting, or two that are equal and opposite.
bool takes_one_amount(const std::vector<Part>& parts) {
    return parts.size() == 1 ||
           (parts.size() == 2 && parts[0].entry->amount == -parts[1].entry->amount);
}

Result<std::vector<Move>, Refusal> all_that_is_left(const std::vector<Part>& parts) {
    std::vector<Move> moves;
    for (const Part& part : parts) {
        if (part.left != 0) {
            moves.push_back(taking_back(part, -part.left));
        }
    }
    return moves;
}

Result<std::vector<Move>, Refusal> one_amount(const std::vector<Part>& parts, Amount amount) {
    if (!takes_one_amount(parts)) {
        return fail(Refusal{Code::reversal_mismatch, {}, {}});
    }
    std::vector<Move> moves;
    for (const Part& part : parts) {
        const Amount left = part.left < 0 ? -part.left : part.left;
        if (amount > left) {
            return fail(Refusal{Code::reversal_too_large, part.entry->account, {left, amount, 0}});
        }
        moves.push_back(taking_back(part, part.entry->amount < 0 ? amount : -amount));
    }
    return moves;
}

Result<std::vector<Move>, Refusal> given_postings(const std::vector<Part>& parts,
                                                  const std::vector<Posting>& postings) {
    std::vector<Move> moves;
    for (const Posting& posting : postings) {
        const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& candidate) {
            return candidate.entry->account == posting.account;
        });
        if (part == parts.end() || (posting.amount < 0) == (part->entry->amount < 0)) {
            return fail(Refusal{Code::reversal_mismatch, posting.account, {}});
        }
        const Amount asked = posting.amount < 0 ? -posting.amount : posting.amount;
        const Amount left = part->left < 0 ? -part->left : part->left;
        if (asked > left) {
            return fail(Refusal{Code::reversal_too_large, posting.account, {left, asked, 0}});
        }
        moves.push_back(taking_back(*part, posting.amount));
    }
    return moves;
}

}  // namespace

Result<Plan, No> plan_reversal(const Original& original, const Reverse& reverse) {
    const Entry& subject = original.record.subject();
    if (auto refusal = refused_by_kind(subject.kind)) {
        return fail(No(*refusal));
    }
    const std::vector<Part> parts = parts_of(original);
    const bool nothing_left =
        std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.left == 0; });
    if (nothing_left) {
        return fail(No(Refusal{Code::already_reversed, {}, {}}));
    }

    auto moves = reverse.amount             ? one_amount(parts, *reverse.amount)
                 : reverse.postings.empty() ? all_that_is_left(parts)
                                            : given_postings(parts, reverse.postings);
    if (!moves) {
        return fail(No(moves.error()));
    }
    const bool has_subject = std::any_of(moves->begin(), moves->end(), [&](const Move& move) {
        return move.account == subject.account;
    });
    if (!has_subject) {
        Move mark = taking_back(parts.front(), 0);
        mark.reverses.reset();
        moves->push_back(mark);
    }
    return Plan{.subject = subject.account, .moves = std::move(*moves), .target = subject.seq};
}

}  // namespace passbook::ledger
