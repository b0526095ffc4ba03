// SPDX-License-Identifier: Apache-2.0
#include "lab/checker/story_test.h"

#include <fmt/format.h>
#include <algorithm>

namespace passbook::lab::checker {

std::size_t Story::grant(const std::string& account, std::int64_t amount, const std::string& key) {
    const std::vector<Leg> legs{{id(account), amount, 0}};
    return book(begin(Op::grant, account, key), EntryKind::grant, legs, legs);
}

std::size_t Story::spend(const std::string& account, std::int64_t amount, const std::string& key) {
    const std::vector<Leg> legs{{id(account), -amount, 0}};
    return book(begin(Op::spend, account, key), EntryKind::spend, legs, legs);
}

std::size_t Story::transfer(const std::string& from, const std::string& to, std::int64_t amount,
                            const std::string& key) {
    const std::vector<Leg> legs{{id(from), -amount, 0}, {id(to), amount, 0}};
    return book(begin(Op::transfer, from, key), EntryKind::transfer, legs, legs);
}

std::size_t Story::hold(const std::string& account, std::int64_t amount, const std::string& key) {
    const std::vector<Leg> legs{{id(account), 0, amount}};
    return book(begin(Op::hold, account, key), EntryKind::hold, legs, legs);
}

std::size_t Story::commit(std::size_t hold, std::int64_t amount, const std::string& key) {
    const Call opened = call(hold);
    const std::int64_t held = history.legs[opened.legs_begin].held_change;
    return book(begin(Op::commit, history.names.text(opened.subject), key, opened.transaction),
                EntryKind::commit, {{opened.subject, -amount, 0}},
                {{opened.subject, amount == 0 ? -held : -amount, -held}}, opened.transaction);
}

std::size_t Story::void_hold(std::size_t hold, const std::string& key) {
    const Call opened = call(hold);
    const std::int64_t held = history.legs[opened.legs_begin].held_change;
    return book(begin(Op::void_hold, history.names.text(opened.subject), key, opened.transaction),
                EntryKind::void_hold, {{opened.subject, 0, 0}}, {{opened.subject, 0, -held}},
                opened.transaction);
}

std::size_t Story::reverse(std::size_t number, const std::string& key) {
    const Call target = call(number);
    std::vector<Leg> legs(history.legs.begin() + target.legs_begin,
                          history.legs.begin() + target.legs_end);
    for (Leg& leg : legs) {
        leg.amount = -leg.amount;
    }
    return book(begin(Op::reverse, history.names.text(target.subject), key, target.transaction),
                EntryKind::reverse, {{target.subject, 0, 0}}, legs);
}

std::size_t Story::again(std::size_t number) {
    Call same = call(number);
    now_ += 10;
    same.invoked = now_ - before;
    same.returned = now_ + after;
    history.calls.push_back(same);
    return history.calls.size() - 1;
}

std::size_t Story::read() {
    Call call = begin(Op::read, "", "");
    call.verdict = Verdict::ok;
    call.seen_begin = static_cast<std::uint32_t>(history.seen.size());
    for (const auto& [account, row] : accounts_) {
        history.seen.push_back({account, row.seq, row.balance, row.held});
    }
    call.seen_end = static_cast<std::uint32_t>(history.seen.size());
    return end(call, {});
}

void Story::dump() {
    Dump all;
    for (const auto& [account, row] : accounts_) {
        all.accounts.push_back(row);
    }
    all.entries = entries_;
    history.dumps.push_back(std::move(all));
}

Entry& Story::entry(const std::string& account, std::int64_t seq) {
    auto& entries = history.dumps.back().entries;
    return *std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
        return entry.account == id(account) && entry.seq == seq;
    });
}

AccountRow& Story::row(const std::string& account) {
    auto& rows = history.dumps.back().accounts;
    return *std::find_if(rows.begin(), rows.end(),
                         [&](const AccountRow& row) { return row.account == id(account); });
}

std::size_t Story::book(Call call, EntryKind kind, const std::vector<Leg>& asked,
                        const std::vector<Leg>& legs, Id hold) {
    for (const Leg& leg : legs) {
        const AccountRow& row =
            accounts_.try_emplace(leg.account, AccountRow{leg.account}).first->second;
        const std::int64_t change = leg.amount - leg.held_change;
        if (change < 0 && row.balance - row.held + change < *row.floor) {
            call.verdict = Verdict::fail;
            call.code = id("insufficient_balance");
            return end(call, asked);
        }
    }
    const AccountRow& subject = accounts_.at(call.subject);
    call.transaction = id(fmt::format("{}:{}", history.names.text(call.subject), subject.seq + 1));
    call.verdict = Verdict::ok;
    call.seen_begin = static_cast<std::uint32_t>(history.seen.size());
    for (const Leg& leg : legs) {
        AccountRow& row = accounts_.at(leg.account);
        row.balance += leg.amount;
        row.held += leg.held_change;
        ++row.seq;
        entries_.push_back({.account = leg.account,
                            .kind = kind,
                            .seq = row.seq,
                            .amount = leg.amount,
                            .held_change = leg.held_change,
                            .balance_after = row.balance,
                            .held_after = row.held,
                            .transaction = call.transaction,
                            .key = leg.account == call.subject ? call.key : 0,
                            .hold = hold});
        history.seen.push_back({leg.account, row.seq, row.balance, row.held});
    }
    call.seen_end = static_cast<std::uint32_t>(history.seen.size());
    return end(call, asked);
}

Call Story::begin(Op op, const std::string& account, const std::string& key, Id target) {
    now_ += 10;
    Call call;
    call.op = op;
    call.subject = id(account);
    call.key = id(key);
    call.target = target;
    call.invoked = now_ - before;
    call.returned = now_ + after;
    return call;
}

std::size_t Story::end(Call call, const std::vector<Leg>& asked) {
    call.legs_begin = static_cast<std::uint32_t>(history.legs.size());
    history.legs.insert(history.legs.end(), asked.begin(), asked.end());
    call.legs_end = static_cast<std::uint32_t>(history.legs.size());
    call.body = 1 + history.calls.size();
    history.calls.push_back(call);
    return history.calls.size() - 1;
}

}  // namespace passbook::lab::checker
