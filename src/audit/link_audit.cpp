// SPDX-License-Identifier: Apache-2.0
#include "audit/link_audit.h"

#include <fmt/format.h>
#include <algorithm>

namespace passbook::audit {
namespace {

using ledger::Entry;
using ledger::EntryKind;

bool may_be_reversed(EntryKind kind) {
    return kind == EntryKind::grant || kind == EntryKind::spend || kind == EntryKind::transfer ||
           kind == EntryKind::transaction;
}

bool may_have_legs(EntryKind kind) {
    return kind == EntryKind::transfer || kind == EntryKind::transaction ||
           kind == EntryKind::reverse || kind == EntryKind::commit;
}

Total sum_of(const ledger::Record& record) {
    Total sum = 0;
    for (const Entry& entry : record.entries) {
        sum += entry.amount;
    }
    return sum;
}

}  // namespace

LinkAudit::LinkAudit(Shard shard, store::Reader& lookups, const Assets& assets,
                     const Report& report)
    : shard_(shard),
      lookups_(lookups),
      assets_(assets),
      any_balanced_(std::any_of(assets.begin(), assets.end(),
                                [](const auto& item) { return item.second.balanced; })),
      report_(report) {}

void LinkAudit::take(const Entry& entry) {
    if (entry.subject) {
        check_leg(entry);
    } else if (entry.request && may_have_legs(entry.kind)) {
        check_transaction(entry);
    }
    if (entry.kind == EntryKind::reverse) {
        check_reversal(entry);
    }
}

void LinkAudit::check_leg(const Entry& entry) {
    const auto subject = find(entry.subject->account, entry.subject->seq);
    const auto expected = fmt::format("an entry {} of the same kind, time, target and with a key",
                                      to_text(*entry.subject));
    if (!subject) {
        say(entry, What::leg_without_subject, expected, "none");
    } else if (!subject->request || subject->kind != entry.kind ||
               subject->recorded_at != entry.recorded_at || subject->target != entry.target) {
        say(entry, What::leg_without_subject, expected,
            fmt::format("one recorded at {}, {}{}", to_text(subject->recorded_at),
                        subject->target ? fmt::format("with target {}", *subject->target)
                                        : std::string("without a target"),
                        subject->request ? "" : ", without a key"));
    }
}

void LinkAudit::check_transaction(const Entry& entry) {
    const auto found = lookups_.transaction(entry.id());
    if (!found) {
        say(entry, What::transaction_incomplete, to_text(entry.id()) + " found by its id",
            "nothing");
        return;
    }
    const ledger::Record& record = found->record;
    if (entry.kind == EntryKind::transfer && (record.entries.size() != 2 || sum_of(record) != 0)) {
        say(entry, What::transaction_incomplete, "2 entries that sum to 0",
            fmt::format("{} that sum to {}", record.entries.size(), sum_of(record)));
        return;
    }
    if (any_balanced_) {
        check_balanced(entry, record);
    }
}

void LinkAudit::check_balanced(const Entry& entry, const ledger::Record& record) {
    std::unordered_map<AssetCode, Total> sums;
    for (const Entry& part : record.entries) {
        if (const auto view = lookups_.account(part.account)) {
            sums[view->account.asset] += part.amount;
        }
    }
    for (const auto& [code, sum] : sums) {
        const auto asset = assets_.find(code);
        if (asset != assets_.end() && asset->second.balanced && sum != 0) {
            say(entry, What::transaction_incomplete,
                fmt::format("entries in {} that sum to 0", code.text()),
                fmt::format("a sum of {}", sum));
        }
    }
}

/// Where the subject takes back an entry of its own, that it is of the target's transaction says
/// also that there is such a transaction.
void LinkAudit::check_reversal(const Entry& entry) {
    if (entry.reverses) {
        check_taken_back(entry);
    } else if (!entry.subject && entry.target) {
        const std::int64_t seq = *entry.target;
        const auto original = seq < entry.seq ? find(entry.account, seq) : std::nullopt;
        if (!original || !may_be_reversed(original->kind) ||
            ledger::transaction_of(*original) != original->id()) {
            say(entry, What::reversal,
                fmt::format("target {} to be a transaction that can be reversed", seq),
                original ? "one that cannot" : "none");
        }
    }
}

void LinkAudit::check_taken_back(const Entry& entry) {
    const std::int64_t seq = *entry.reverses;
    const auto original = seq < entry.seq ? find(entry.account, seq) : std::nullopt;
    if (!original || !may_be_reversed(original->kind)) {
        say(entry, What::reversal, fmt::format("seq {} to be an entry that can be reversed", seq),
            original ? "one that cannot" : "none");
        return;
    }
    const auto transaction = ledger::transaction_of(*original);
    const AccountId& subject = entry.subject ? entry.subject->account : entry.account;
    if (entry.target && transaction != EntryId{subject, *entry.target}) {
        say(entry, What::reversal,
            fmt::format("seq {} to be of {}", seq, to_text(EntryId{subject, *entry.target})),
            transaction ? "of " + to_text(*transaction) : "of no transaction");
    }
    if ((original->amount < 0) == (entry.amount < 0)) {
        say(entry, What::reversal, fmt::format("the opposite sign of {}", original->amount),
            std::to_string(entry.amount));
        return;
    }
    Total& reversed = reversed_[seq];
    reversed += entry.amount;
    const Total left = reversed + original->amount;
    if (original->amount < 0 ? left > 0 : left < 0) {
        say(entry, What::reversal,
            fmt::format("reversals of seq {} within {}", seq, -Total{original->amount}),
            fmt::format("{} in all", reversed));
    }
}

std::optional<Entry> LinkAudit::find(const AccountId& account, std::int64_t seq) {
    if (seq < 1) {
        return std::nullopt;
    }
    auto entries = lookups_.entries(account, seq - 1, 1);
    if (entries.empty() || entries.front().seq != seq) {
        return std::nullopt;
    }
    return std::move(entries.front());
}

void LinkAudit::say(const Entry& entry, What what, std::string expected, std::string found) const {
    report_(Difference{.shard = shard_,
                       .account = entry.account.text(),
                       .seq = entry.seq,
                       .what = what,
                       .expected = std::move(expected),
                       .found = std::move(found)});
}

}  // namespace passbook::audit
