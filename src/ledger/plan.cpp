// SPDX-License-Identifier: Apache-2.0
#include "ledger/plan.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "base/planted.h"

namespace passbook::ledger {
namespace {

Move move_of(const AccountId& account, EntryKind kind, Amount amount) {
    Move move{.account = account};
    move.kind = kind;
    move.amount = planted(Bug::amount_in_32_bits) ? static_cast<std::int32_t>(amount) : amount;
    return move;
}

Plan plan_of(const AccountId& subject, std::vector<Move> moves) {
    return Plan{.subject = subject, .moves = std::move(moves)};
}

/// The asset of an account that exists; nothing where it does not, which posting will find.
std::optional<AssetCode> asset_of(const State& state, const AccountId& id) {
    const auto account = state.accounts.find(id);
    if (account == state.accounts.end()) {
        return std::nullopt;
    }
    return account->second.asset;
}

class Planner {
public:
    Planner(const State& state, const AccountId& subject) : state_(state), subject_(subject) {}

    Result<Plan, No> operator()(const Grant& grant) const {
        Move move = move_of(grant.account, EntryKind::grant, grant.amount);
        move.asset = grant.asset;
        return plan_of(subject_, {move});
    }

    Result<Plan, No> operator()(const Spend& spend) const {
        Move move = move_of(spend.account, EntryKind::spend, -spend.amount);
        move.asset = spend.asset;
        return plan_of(subject_, {move});
    }

    Result<Plan, No> operator()(const Transfer& transfer) const {
        const Move debit = move_of(transfer.from, EntryKind::transfer, -transfer.amount);
        Move credit = move_of(transfer.to, EntryKind::transfer, transfer.amount);
        credit.asset = asset_of(state_, transfer.from);
        return plan_of(subject_, {debit, credit});
    }

    Result<Plan, No> operator()(const Transact& transact) const {
        std::vector<Move> moves;
        for (const Posting& posting : transact.postings) {
            moves.push_back(move_of(posting.account, EntryKind::transaction, posting.amount));
            moves.back().asset = posting.asset;
        }
        return plan_of(subject_, std::move(moves));
    }

    Result<Plan, No> operator()(const Reverse& reverse) const {
        return plan_reversal(state_.originals.at(reverse.transaction), reverse);
    }

    Result<Plan, No> operator()(const PlaceHold& hold) const {
        Move move = move_of(hold.account, EntryKind::hold, 0);
        move.held_change = hold.amount;
        Plan plan = plan_of(subject_, {move});
        plan.expires_in = hold.expires_in.value_or(hold_seconds_default);
        return plan;
    }

    Result<Plan, No> operator()(const CommitHold& commit) const {
        const Hold& hold = state_.holds.at(commit.hold);
        if (hold.status != HoldStatus::open && !planted(Bug::commit_of_any_hold)) {
            return fail(No(not_open(hold)));
        }
        const Amount amount = commit.amount.value_or(hold.amount);
        if (amount > hold.amount) {
            return fail(
                No(Refusal{Code::hold_too_large, hold.opened.account, {hold.amount, amount, 0}}));
        }
        if (commit.to == hold.opened.account) {
            return fail(No(Rejection{Code::same_account,
                                     fmt::format("to is {}, the account of the hold itself.",
                                                 hold.opened.account.text())}));
        }
        Plan plan = closing(hold, EntryKind::commit, -amount);
        if (commit.to) {
            plan.moves.push_back(move_of(*commit.to, EntryKind::commit, amount));
            plan.moves.back().asset = asset_of(state_, hold.opened.account);
        }
        return plan;
    }

    Result<Plan, No> operator()(const VoidHold& void_hold) const {
        const Hold& hold = state_.holds.at(void_hold.hold);
        if (hold.status != HoldStatus::open) {
            return fail(No(not_open(hold)));
        }
        return closing(hold, EntryKind::void_hold, 0);
    }

    Result<Plan, No> operator()(const SetStatus& set) const {
        return plan_of(subject_, {move_of(set.account, set.kind, 0)});
    }

    // A PUT has no plan: it is decided apart, without key or subject.
    Result<Plan, No> operator()(const PutAccount&) const {
        return never();
    }
    Result<Plan, No> operator()(const PutAsset&) const {
        return never();
    }

private:
    static Refusal not_open(const Hold& hold) {
        return Refusal{
            Code::hold_not_open, hold.opened.account, {static_cast<int>(hold.status), 0, 0}};
    }

    [[nodiscard]] Plan closing(const Hold& hold, EntryKind kind, Amount amount) const {
        Move move = move_of(hold.opened.account, kind, amount);
        move.held_change = -hold.amount;
        Plan plan = plan_of(subject_, {move});
        plan.target = hold.opened.seq;
        return plan;
    }

    [[nodiscard]] Result<Plan, No> never() const {
        PASSBOOK_ASSERT(false);
        return plan_of(subject_, {});
    }

    const State& state_;
    const AccountId& subject_;
};

}  // namespace

Result<Plan, No> plan(const State& state, const AccountId& subject, const Action& action) {
    return std::visit(Planner(state, subject), action);
}

}  // namespace passbook::ledger
