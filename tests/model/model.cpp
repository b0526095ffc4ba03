// SPDX-License-Identifier: Apache-2.0
#include "tests/model/model.h"

#include <sstream>

namespace passbook::model {

/// What the step says, as far as its kind looks at it: equal for two steps that are the same
/// command.
std::string Model::said(const Step& step) const {
    const auto back = static_cast<std::size_t>(step.target);
    std::ostringstream text;
    text << static_cast<int>(step.op);
    switch (step.op) {
        case Op::grant:
        case Op::spend:
        case Op::hold:
            text << ' ' << step.amount;
            break;
        case Op::transfer:
            text << ' ' << step.amount << ' ' << step.other;
            break;
        case Op::commit:
            text << ' ' << step.amount << ' ' << holds_.size() - back;
            break;
        case Op::void_hold:
            text << ' ' << holds_.size() - back;
            break;
        case Op::reverse:
            text << ' ' << transactions_.size() - back;
            break;
        case Op::freeze:
        case Op::unfreeze:
        case Op::wait:
            break;
    }
    return text.str();
}

std::string Model::apply(const Step& step) {
    if (step.op == Op::wait) {
        now_ += wait_seconds;
        return "";
    }
    std::string subject = account_name(step.account);
    if (step.op == Op::commit || step.op == Op::void_hold) {
        if (hold_of(step.target) == nullptr) {
            return "hold_not_found";
        }
        subject = hold_of(step.target)->account;
    }
    if (step.op == Op::reverse) {
        if (transaction_of(step.target) == nullptr) {
            return "transaction_not_found";
        }
        subject = transaction_of(step.target)->subject;
    }
    if (step.op == Op::transfer && step.account == step.other) {
        return "same_account";
    }

    const std::string command = said(step);
    const std::string slot = subject + '/' + std::to_string(step.key);
    if (const auto before = answered_.find(slot); before != answered_.end()) {
        if (before->second.command != command) {
            return "idempotency_key_reused";
        }
        return before->second.answer + " replayed";
    }
    const std::string answer = decide(step, subject);
    if (answer != "account_not_found") {
        answered_[slot] = {command, answer};
    }
    return answer;
}

const Model::Hold* Model::hold_of(int target) const {
    const auto back = static_cast<std::size_t>(target);
    return back < holds_.size() ? &holds_[holds_.size() - 1 - back] : nullptr;
}

const Model::Transaction* Model::transaction_of(int target) const {
    const auto back = static_cast<std::size_t>(target);
    return back < transactions_.size() ? &transactions_[transactions_.size() - 1 - back] : nullptr;
}

std::string Model::decide(const Step& step, const std::string& subject) {
    const std::string other = account_name(step.other);
    const int amount = step.amount;
    const auto index = [&](std::size_t size) {
        return size - 1 - static_cast<std::size_t>(step.target);
    };
    expire(subject);
    switch (step.op) {
        case Op::grant:
            return move("grant", subject, {{subject, amount, amount}});
        case Op::spend:
            return move("spend", subject, {{subject, -amount, amount}});
        case Op::transfer:
            return move("transfer", subject, {{subject, -amount, amount}, {other, amount, amount}});
        case Op::hold:
            return place(subject, amount);
        case Op::commit:
            return close(holds_[index(holds_.size())], amount);
        case Op::void_hold:
            return close(holds_[index(holds_.size())], 0);
        case Op::reverse:
            return reverse(index(transactions_.size()), subject);
        case Op::freeze:
        case Op::unfreeze: {
            const auto found = books_.find(subject);
            if (found == books_.end()) {
                return "account_not_found";
            }
            found->second.frozen = step.op == Op::freeze;
            ++found->second.seq;
            return done(subject);
        }
        case Op::wait:
            break;
    }
    return "";
}

std::string Model::move(const std::string& kind, const std::string& subject,
                        std::vector<Leg> legs) {
    for (const Leg& leg : legs) {
        if (!books_.contains(leg.account) && leg.amount <= 0) {
            return "account_not_found";
        }
    }
    for (const Leg& leg : legs) {
        books_.try_emplace(leg.account);
        expire(leg.account);
    }
    for (const Leg& leg : legs) {
        const Account& account = books_[leg.account];
        if (account.frozen) {
            return "account_frozen";
        }
        if (leg.amount < 0 && account.balance - account.held + leg.amount < 0) {
            return "insufficient_balance";
        }
    }
    for (const Leg& leg : legs) {
        books_[leg.account].balance += leg.amount;
        ++books_[leg.account].seq;
    }
    transactions_.push_back({subject, kind, std::move(legs)});
    return done(subject);
}

std::string Model::place(const std::string& account, int amount) {
    const auto found = books_.find(account);
    if (found == books_.end()) {
        return "account_not_found";
    }
    if (found->second.frozen) {
        return "account_frozen";
    }
    if (found->second.balance - found->second.held < amount) {
        return "insufficient_balance";
    }
    found->second.held += amount;
    ++found->second.seq;
    holds_.push_back({account, amount, true, now_ + hold_seconds});
    return done(account);
}

std::string Model::close(Hold& hold, int amount) {
    if (!hold.open) {
        return "hold_not_open";
    }
    if (amount > hold.amount) {
        return "hold_too_large";
    }
    Account& account = books_[hold.account];
    if (amount > 0 && account.frozen) {
        return "account_frozen";
    }
    account.held -= hold.amount;
    account.balance -= amount;
    ++account.seq;
    hold.open = false;
    return done(hold.account);
}

std::string Model::reverse(std::size_t index, const std::string& subject) {
    const Transaction original = transactions_[index];
    if (original.kind == "reverse") {
        return "not_reversible";
    }
    std::vector<Leg> legs;
    for (const Leg& leg : original.legs) {
        if (leg.left != 0) {
            legs.push_back({leg.account, leg.amount < 0 ? leg.left : -leg.left, 0});
        }
    }
    if (legs.empty()) {
        return "already_reversed";
    }
    const std::string answer = move("reverse", subject, legs);
    if (answer.starts_with("done")) {
        for (Leg& leg : transactions_[index].legs) {
            leg.left = 0;
        }
    }
    return answer;
}

void Model::expire(const std::string& account) {
    for (Hold& hold : holds_) {
        if (hold.account != account || !hold.open || hold.due > now_) {
            continue;
        }
        hold.open = false;
        books_[account].held -= hold.amount;
        ++books_[account].seq;
    }
}

std::string Model::done(const std::string& subject) const {
    const Account& account = books_.at(subject);
    std::ostringstream text;
    text << "done seq " << account.seq << " balance " << account.balance << " held "
         << account.held;
    return text.str();
}

}  // namespace passbook::model
