// SPDX-License-Identifier: Apache-2.0
#include "lab/checker/index.h"

#include <fmt/format.h>
#include <algorithm>
#include <tuple>

namespace passbook::lab::checker {
namespace {

std::uint64_t joined(Id subject, Id key) {
    return (std::uint64_t{subject} << 32U) | key;
}

}  // namespace

Index::Index(const History& history) : history_(history) {
    gather_wishes();
    gather_entries();
    for (Journal& journal : journals_) {
        gather_times(journal);
    }
}

void Index::gather_wishes() {
    const auto& calls = history_.calls;
    std::vector<std::uint32_t> wish_of(calls.size());
    for (std::uint32_t n = 0; n < calls.size(); ++n) {
        if (calls[n].op == Op::read) {
            continue;
        }
        const auto [found, is_new] = wish_by_key_.emplace(
            joined(calls[n].subject, calls[n].key), static_cast<std::uint32_t>(wishes_.size()));
        if (is_new) {
            wishes_.push_back({.subject = calls[n].subject, .key = calls[n].key});
        }
        wish_of[n] = found->second;
        wish_calls_.push_back(n);
    }
    std::stable_sort(wish_calls_.begin(), wish_calls_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tie(wish_of[a], calls[a].invoked) < std::tie(wish_of[b], calls[b].invoked);
    });
    for (std::size_t begin = 0, end = 0; begin < wish_calls_.size(); begin = end) {
        Wish& wish = wishes_[wish_of[wish_calls_[begin]]];
        for (; end < wish_calls_.size() && wish_of[wish_calls_[end]] == wish_of[wish_calls_[begin]];
             ++end) {
            tell(wish, wish_calls_[end]);
        }
        wish.calls = std::span(wish_calls_).subspan(begin, end - begin);
    }
}

/// A key that stands for another command is no outcome of this one.
void Index::tell(Wish& wish, std::uint32_t number) {
    const Call& call = history_.calls[number];
    const bool is_kept =
        call.verdict == Verdict::fail && text(call.code) != "idempotency_key_reused";
    const bool has_ok =
        wish.told_by != Wish::none && history_.calls[wish.told_by].verdict == Verdict::ok;
    if ((call.verdict == Verdict::ok && !has_ok) || (is_kept && wish.told_by == Wish::none)) {
        wish.told_by = number;
    }
    if (call.verdict == Verdict::ok && call.transaction != 0) {
        maker_.emplace(call.transaction, static_cast<std::uint32_t>(&wish - wishes_.data()));
    }
}

void Index::gather_entries() {
    if (!has_dump()) {
        return;
    }
    const Dump& last = history_.dumps.back();
    entries_ = last.entries;
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.account, a.seq) < std::tie(b.account, b.seq);
    });
    const auto journal_of = [&](Id account) -> Journal& {
        const auto [found, is_new] =
            journal_by_account_.emplace(account, static_cast<std::uint32_t>(journals_.size()));
        if (is_new) {
            journals_.push_back({.account = account});
        }
        return journals_[found->second];
    };
    for (const AccountRow& row : last.accounts) {
        journal_of(row.account).row = &row;
    }
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
        while (end < entries_.size() && entries_[end].account == entries_[begin].account) {
            ++end;
        }
        journal_of(entries_[begin].account).entries =
            std::span(entries_).subspan(begin, end - begin);
    }
    for (const Entry& entry : entries_) {
        if (entry.transaction != 0) {
            by_transaction_.push_back(&entry);
            if (const Wish* made = wish(entry.account, entry.key); entry.key != 0 && made) {
                maker_.emplace(entry.transaction,
                               static_cast<std::uint32_t>(made - wishes_.data()));
            }
        }
    }
    std::stable_sort(
        by_transaction_.begin(), by_transaction_.end(),
        [](const Entry* a, const Entry* b) { return a->transaction < b->transaction; });
}

void Index::gather_times(Journal& journal) const {
    const std::size_t count = journal.entries.size();
    journal.since.assign(count + 1, 0);
    journal.until.assign(count + 1, never);
    for (std::size_t s = 0; s < count; ++s) {
        const Wish* made = maker(journal.entries[s].transaction);
        journal.since[s + 1] = std::max(journal.since[s], made == nullptr ? 0 : sent(*made));
    }
    for (std::size_t s = count; s-- > 0;) {
        const Wish* made = maker(journal.entries[s].transaction);
        journal.until[s] = std::min(journal.until[s + 1], made == nullptr ? never : known(*made));
    }
}

Time Index::sent(const Wish& wish) const {
    return history_.calls[wish.calls.front()].invoked;
}

Time Index::known(const Wish& wish) const {
    Time first = never;
    for (const std::uint32_t n : wish.calls) {
        const Call& call = history_.calls[n];
        first = call.verdict == Verdict::ok ? std::min(first, call.returned) : first;
    }
    return first;
}

const Journal* Index::journal(Id account) const {
    const auto found = journal_by_account_.find(account);
    return found == journal_by_account_.end() ? nullptr : &journals_[found->second];
}

std::span<const Entry* const> Index::transaction(Id id) const {
    const auto first =
        std::lower_bound(by_transaction_.begin(), by_transaction_.end(), id,
                         [](const Entry* entry, Id wanted) { return entry->transaction < wanted; });
    const auto last = std::find_if(first, by_transaction_.end(),
                                   [&](const Entry* entry) { return entry->transaction != id; });
    return {first, last};
}

const Wish* Index::maker(Id transaction) const {
    const auto found = maker_.find(transaction);
    return transaction == 0 || found == maker_.end() ? nullptr : &wishes_[found->second];
}

const Wish* Index::wish(Id subject, Id key) const {
    const auto found = wish_by_key_.find(joined(subject, key));
    return found == wish_by_key_.end() ? nullptr : &wishes_[found->second];
}

const Entry* Index::opening(Id hold) const {
    for (const Entry* entry : transaction(hold)) {
        if (entry->kind == EntryKind::hold) {
            return entry;
        }
    }
    return nullptr;
}

std::span<const Leg> Index::legs(const Call& call) const {
    return std::span(history_.legs).subspan(call.legs_begin, call.legs_end - call.legs_begin);
}

std::span<const Seen> Index::seen(const Call& call) const {
    return std::span(history_.seen).subspan(call.seen_begin, call.seen_end - call.seen_begin);
}

std::string Index::text(const Wish& wish) const {
    return fmt::format("key {} of {}", text(wish.key), text(wish.subject));
}

std::string Index::text(const Entry& entry) const {
    return fmt::format("{}:{} ({:+}, balance {}, held {})", text(entry.account), entry.seq,
                       entry.amount, entry.balance_after, entry.held_after);
}

void Findings::add(std::size_t size, std::string witness) {
    if (count_++ == 0 || size < size_) {
        size_ = size;
        witness_ = std::move(witness);
    }
}

void Findings::into(std::vector<Finding>& all) && {
    if (count_ > 0) {
        all.push_back({rule_, count_, std::move(witness_)});
    }
}

}  // namespace passbook::lab::checker
