// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/world.h"

#include <fmt/format.h>
#include <algorithm>
#include <functional>

#include "lab/checker/check.h"

namespace passbook::simulation {

namespace checker = lab::checker;

namespace {

constexpr std::size_t rows_max = 100'000;

checker::EntryKind kind_of(ledger::EntryKind kind) {
    using enum ledger::EntryKind;
    switch (kind) {
        case grant:
            return checker::EntryKind::grant;
        case spend:
            return checker::EntryKind::spend;
        case transfer:
            return checker::EntryKind::transfer;
        case transaction:
            return checker::EntryKind::transaction;
        case reverse:
            return checker::EntryKind::reverse;
        case hold:
            return checker::EntryKind::hold;
        case commit:
            return checker::EntryKind::commit;
        case void_hold:
            return checker::EntryKind::void_hold;
        case expire:
            return checker::EntryKind::expire;
        case freeze:
        case unfreeze:
        case close:
        case limits:
            break;
    }
    return checker::EntryKind::other;
}

bool ends_hold(const ledger::Entry& entry) {
    using enum ledger::EntryKind;
    return !entry.subject &&
           (entry.kind == commit || entry.kind == void_hold || entry.kind == expire);
}

checker::Entry entry_of(const ledger::Entry& entry, checker::Names& names) {
    const auto transaction = ledger::transaction_of(entry);
    return {
        .account = names.id(entry.account.text()),
        .kind = kind_of(entry.kind),
        .seq = entry.seq,
        .amount = entry.amount,
        .held_change = entry.held_change,
        .balance_after = entry.balance_after,
        .held_after = entry.held_after,
        .transaction = transaction ? names.id(to_text(*transaction)) : 0,
        .key = entry.request ? names.id(entry.request->key.text()) : 0,
        .hold = ends_hold(entry) ? names.id(to_text(EntryId{entry.account, *entry.target})) : 0};
}

}  // namespace

void World::wrong(std::string what) {
    run_.note(what);
    wrongs_.push_back(std::move(what));
}

// The history -------------------------------------------------------------------------------------

void World::take_legs(checker::Call& call, const Wish& wish) {
    call.legs_begin = static_cast<std::uint32_t>(history_.legs.size());
    for (const ledger::Posting& leg : wish.legs) {
        const bool holds = wish.op == checker::Op::hold;
        history_.legs.push_back({history_.names.id(leg.account.text()), holds ? 0 : leg.amount,
                                 holds ? leg.amount : 0});
    }
    call.legs_end = static_cast<std::uint32_t>(history_.legs.size());
}

std::uint32_t World::sent(const Wish& wish) {
    const auto number = static_cast<std::uint32_t>(history_.calls.size());
    const std::string& key = wish.request.command.key->text();
    checker::Call call{.invoked = run_.now(),
                       .op = wish.op,
                       .subject = history_.names.id(wish.subject.text()),
                       .key = history_.names.id(key),
                       .target = history_.names.id(wish.target)};
    take_legs(call, wish);
    history_.calls.push_back(call);
    answers_.push_back(0);
    maybe_done_.emplace(key, false);
    run_.note(
        fmt::format("call {}: {} {}", number, ledger::name_of(wish.request.command.action), key));
    return number;
}

void World::gave_up(std::uint32_t call) {
    maybe_done_[history_.names.text(history_.calls[call].key)] = true;
    weather_.count("client: waited no longer");
}

void World::replied(std::uint32_t number) {
    if (++answers_[number] > 1) {
        wrong(fmt::format("call {} was answered twice", number));
    }
}

void World::answered(std::uint32_t number, const writer::Reply& reply) {
    checker::Call& call = history_.calls[number];
    bool& maybe_done = maybe_done_[history_.names.text(call.key)];
    if (const auto* failure = std::get_if<FailureKind>(&reply)) {
        run_.note(fmt::format("call {}: {}", number, name_of(*failure)));
        weather_.count(fmt::format("answer: {}", name_of(*failure)));
        if (*failure == FailureKind::broken) {
            wrong("a command was answered broken");
        }
        maybe_done = maybe_done || *failure == FailureKind::in_doubt;
        call.returned = run_.now();
        return;
    }
    maybe_done = true;
    tell(number, std::get<ledger::Answer>(reply));
}

void World::tell(std::uint32_t number, const ledger::Answer& answer) {
    checker::Call& call = history_.calls[number];
    std::string said;
    if (const auto* record = std::get_if<ledger::Record>(&answer.body)) {
        call.verdict = checker::Verdict::ok;
        call.transaction = history_.names.id(to_text(record->subject().id()));
        call.seen_begin = static_cast<std::uint32_t>(history_.seen.size());
        for (const ledger::Entry& entry : record->entries) {
            history_.seen.push_back({history_.names.id(entry.account.text()), entry.seq,
                                     entry.balance_after, entry.held_after});
            said += fmt::format(" {}:{} {} {} {}", entry.account.text(), entry.seq, entry.amount,
                                entry.balance_after, entry.held_after);
        }
        call.seen_end = static_cast<std::uint32_t>(history_.seen.size());
    } else {
        const auto* refusal = std::get_if<ledger::Refusal>(&answer.body);
        const Code code =
            refusal != nullptr ? refusal->code : std::get<ledger::Rejection>(answer.body).code;
        call.verdict = checker::Verdict::fail;
        call.code = history_.names.id(name(code));
        said = refusal != nullptr ? detail(*refusal) : std::string(name(code));
        weather_.count(fmt::format("answer: {}", name(code)));
    }
    call.returned = run_.now();
    call.body = std::hash<std::string>{}(said);
    weather_.count(answer.replayed ? "answer: replayed" : "answer: first");
    run_.note(fmt::format("call {}:{}{}", number, answer.replayed ? " replayed" : "", said));
}

void World::read(const AccountId& account) {
    checker::Call call{.invoked = run_.now(), .op = checker::Op::read};
    const auto view = store_.reader()->account(account);
    call.returned = run_.now();
    call.verdict = checker::Verdict::ok;
    call.seen_begin = static_cast<std::uint32_t>(history_.seen.size());
    history_.seen.push_back({history_.names.id(account.text()), view->account.seq,
                             view->account.balance, view->account.held});
    call.seen_end = static_cast<std::uint32_t>(history_.seen.size());
    history_.calls.push_back(call);
    answers_.push_back(1);
}

void World::dump() {
    const auto reader = store_.reader();
    checker::Dump all;
    for (const auto& [account, due] : reader->accounts({}, rows_max)) {
        all.accounts.push_back({.account = history_.names.id(account.id.text()),
                                .balance = account.balance,
                                .held = account.held,
                                .seq = account.seq,
                                .floor = account.limits.floor});
        for (const ledger::Entry& entry : reader->entries(account.id, 0, rows_max)) {
            all.entries.push_back(entry_of(entry, history_.names));
            weather_.count(fmt::format("stored: {}", name_of(entry.kind)));
        }
    }
    history_.dumps.push_back(std::move(all));
}

void World::judge(bool all_must_be_known) {
    for (std::size_t call = 0; call < answers_.size(); ++call) {
        if (answers_[call] == 0) {
            wrong(fmt::format("call {} was never answered", call));
        }
    }
    for (const checker::Entry& entry : history_.dumps.back().entries) {
        const auto found = maybe_done_.find(history_.names.text(entry.key));
        if (entry.key != 0 && found != maybe_done_.end() && !found->second) {
            wrong(fmt::format("{} took effect, and all answers said that nothing was done",
                              found->first));
        }
    }
    const checker::Verification told = checker::check(history_);
    for (const checker::Finding& finding : told.findings) {
        wrong(fmt::format("{}: {}", number_of(finding.rule), finding.witness));
    }
    if (all_must_be_known && told.unresolved > 0) {
        wrong(fmt::format("{} outcomes were never found out", told.unresolved));
    }
}

// Who holds what ----------------------------------------------------------------------------------

void World::holds(const lock::Guard& guard, int forgot) {
    holders_.push_back({&guard, forgot});
    acts(guard);
}

void World::acts(const lock::Guard& guard) {
    const auto own = std::find_if(holders_.begin(), holders_.end(),
                                  [&](const Holder& each) { return each.guard == &guard; });
    const std::string& key = guard.keys().front();
    std::int64_t& written = written_[key];
    const bool is_late = guard.fence() < written;
    weather_.count(is_late ? "lock: late write refused" : "lock: write");
    written = std::max(written, guard.fence());
    if (!guard.valid() || keys_.forgot() != own->forgot) {
        return;
    }
    if (is_late) {
        wrong(
            fmt::format("who holds {} under fence {} came after {}", key, guard.fence(), written));
    }
    for (const Holder& other : holders_) {
        if (other.guard != &guard && other.forgot == own->forgot &&
            other.guard->keys().front() == key && other.guard->valid()) {
            wrong(fmt::format("two hold {}, under fences {} and {}", key, guard.fence(),
                              other.guard->fence()));
        }
    }
}

void World::lets_go(const lock::Guard& guard) {
    std::erase_if(holders_, [&](const Holder& each) { return each.guard == &guard; });
}

}  // namespace passbook::simulation
