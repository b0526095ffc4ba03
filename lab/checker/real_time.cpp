// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

/// What returned before another was sent has the lower seq.
void check_order(const Index& index, const Journal& journal, Findings& findings) {
    const Entry* latest_sent = nullptr;
    Time latest = 0;
    for (const Entry& entry : journal.entries) {
        const Wish* made = index.maker(entry.transaction);
        if (made == nullptr) {
            continue;
        }
        const Time returned = index.known(*made);
        if (latest_sent != nullptr && returned < latest) {
            findings.add(
                2, fmt::format("{} was answered at {}, and comes behind {}, sent at {}",
                               index.text(entry), returned, index.text(*latest_sent), latest));
            return;
        }
        const Time sent = index.sent(*made);
        if (sent >= latest) {
            latest = sent;
            latest_sent = &entry;
        }
    }
}

/// Whether the state was ever there, and may have been current while it was read.
void check_state(const Index& index, const Call& call, const Seen& state, Findings& findings) {
    const Journal* journal = index.journal(state.account);
    const std::string who =
        fmt::format("{} {} at seq {}: balance {}, held {}",
                    call.op == Op::read ? "a read of" : "an answer shows",
                    index.text(state.account), state.seq, state.balance, state.held);
    const std::size_t count = journal == nullptr ? 0 : journal->entries.size();
    if (state.seq < 0 || static_cast<std::size_t>(state.seq) > count) {
        findings.add(1, who + ", a state that never was");
        return;
    }
    const auto seq = static_cast<std::size_t>(state.seq);
    const Entry entry = seq == 0 ? Entry{} : journal->entries[seq - 1];
    if (entry.balance_after != state.balance || entry.held_after != state.held) {
        findings.add(2, fmt::format("{}; that entry says {}, {}", who, entry.balance_after,
                                    entry.held_after));
    } else if (call.op == Op::read && journal != nullptr && journal->until[seq] < call.invoked) {
        findings.add(2, fmt::format("{}, sent at {}; the next was answered at {}", who,
                                    call.invoked, journal->until[seq]));
    } else if (journal != nullptr && journal->since[seq] > call.returned) {
        findings.add(2, fmt::format("{}, answered at {}; its entry was sent at {}", who,
                                    call.returned, journal->since[seq]));
    }
}

struct AccountRead {
    const Call* call;
    std::int64_t seq;
};

/// A read that was sent after another had returned does not show less.
void check_reads_forward(const Index& index, Id account, std::vector<AccountRead>& reads,
                         Findings& findings) {
    std::vector<AccountRead> by_return = reads;
    std::sort(reads.begin(), reads.end(), [](const AccountRead& a, const AccountRead& b) {
        return a.call->invoked < b.call->invoked;
    });
    std::sort(by_return.begin(), by_return.end(), [](const AccountRead& a, const AccountRead& b) {
        return a.call->returned < b.call->returned;
    });
    std::size_t returned = 0;
    const AccountRead* most = nullptr;
    for (const AccountRead& read : reads) {
        for (;
             returned < by_return.size() && by_return[returned].call->returned < read.call->invoked;
             ++returned) {
            if (most == nullptr || by_return[returned].seq > most->seq) {
                most = &by_return[returned];
            }
        }
        if (most != nullptr && read.seq < most->seq) {
            findings.add(2, fmt::format("a read of {} sent at {} shows seq {}; one that had "
                                        "returned at {} showed {}",
                                        index.text(account), read.call->invoked, read.seq,
                                        most->call->returned, most->seq));
            return;
        }
    }
}

}  // namespace

void check_real_time(const Index& index, Findings& findings) {
    if (!index.has_dump()) {
        return;
    }
    for (const Journal& journal : index.journals()) {
        check_order(index, journal, findings);
    }
    std::unordered_map<Id, std::vector<AccountRead>> reads;
    for (const Call& call : index.history().calls) {
        if (call.verdict != Verdict::ok) {
            continue;
        }
        for (const Seen& state : index.seen(call)) {
            check_state(index, call, state, findings);
            if (call.op == Op::read) {
                reads[state.account].push_back({&call, state.seq});
            }
        }
    }
    for (auto& [account, of_account] : reads) {
        check_reads_forward(index, account, of_account, findings);
    }
}

}  // namespace passbook::lab::checker
