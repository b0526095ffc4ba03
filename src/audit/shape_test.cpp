// SPDX-License-Identifier: Apache-2.0
#include "audit/shape.h"

#include <gtest/gtest.h>
#include <bit>
#include <functional>
#include <vector>

namespace passbook::audit {
namespace {

using ledger::Entry;
using ledger::EntryKind;

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");

Entry keyed(EntryKind kind, Amount amount, Amount held_change) {
    Entry entry{
        .account = alice, .seq = 2, .kind = kind, .amount = amount, .held_change = held_change};
    entry.request = ledger::RequestMark{Key::trusted("k")};
    return entry;
}

Entry leg(EntryKind kind, Amount amount) {
    Entry entry{.account = alice, .seq = 2, .kind = kind, .amount = amount};
    entry.subject = EntryId{bob, 1};
    return entry;
}

Entry with(Entry entry, const std::function<void(Entry&)>& change) {
    change(entry);
    return entry;
}

void targeted(Entry& entry) {
    entry.target = 1;
}
void reversing(Entry& entry) {
    entry.reverses = 1;
}
void due(Entry& entry) {
    entry.expires_at = Instant{1};
}
void unkeyed(Entry& entry) {
    entry.request.reset();
}

std::vector<Entry> right_ones() {
    return {
        keyed(EntryKind::grant, 5, 0),
        keyed(EntryKind::spend, -5, 0),
        keyed(EntryKind::transfer, -5, 0),
        leg(EntryKind::transfer, 5),
        keyed(EntryKind::transaction, -5, 0),
        keyed(EntryKind::transaction, 5, 0),
        leg(EntryKind::transaction, -5),
        with(with(keyed(EntryKind::reverse, 5, 0), targeted), reversing),
        with(keyed(EntryKind::reverse, 0, 0), targeted),
        with(with(leg(EntryKind::reverse, -5), targeted), reversing),
        with(keyed(EntryKind::hold, 0, 5), due),
        with(keyed(EntryKind::commit, -5, -5), targeted),
        with(keyed(EntryKind::commit, -3, -5), targeted),
        with(leg(EntryKind::commit, 5), targeted),
        with(keyed(EntryKind::void_hold, 0, -5), targeted),
        with(with(keyed(EntryKind::expire, 0, -5), targeted), unkeyed),
        keyed(EntryKind::freeze, 0, 0),
        with(keyed(EntryKind::unfreeze, 0, 0), unkeyed),
        keyed(EntryKind::close, 0, 0),
        with(with(keyed(EntryKind::limits, 0, 0), unkeyed),
             [](Entry& entry) { entry.limits = ledger::Limits{}; }),
    };
}

TEST(Shape, EveryKindHasItsShape) {
    for (const Entry& entry : right_ones()) {
        EXPECT_EQ(shape_fault(entry), std::nullopt)
            << static_cast<int>(entry.kind) << " " << entry.amount << " " << entry.held_change;
    }
}

TEST(Shape, WhatAKindDoesNotCarryIsAFault) {
    const std::vector<std::function<void(Entry&)>> additions{
        [](Entry& entry) { entry.held_change = entry.held_change == 0 ? 1 : 0; },
        [](Entry& entry) { entry.amount = entry.amount == 0 ? 1 : 0; },
        [](Entry& entry) { entry.kind = std::bit_cast<EntryKind>(std::uint8_t{99}); },
        [](Entry& entry) {
            entry.limits = entry.limits ? std::nullopt : std::optional(ledger::Limits{});
        },
        [](Entry& entry) {
            entry.expires_at = entry.expires_at ? std::nullopt : std::optional(Instant{1});
        },
    };
    for (const Entry& entry : right_ones()) {
        for (std::size_t i = 0; i < additions.size(); ++i) {
            EXPECT_NE(shape_fault(with(entry, additions[i])), std::nullopt)
                << static_cast<int>(entry.kind) << ", change " << i;
        }
    }
}

TEST(Shape, SignsAndPartsAreHeldTo) {
    const std::vector<Entry> wrong{
        keyed(EntryKind::grant, -5, 0),
        keyed(EntryKind::spend, 5, 0),
        keyed(EntryKind::transfer, 5, 0),
        leg(EntryKind::transfer, -5),
        leg(EntryKind::grant, 5),
        with(keyed(EntryKind::grant, 5, 0), unkeyed),
        with(keyed(EntryKind::grant, 5, 0), targeted),
        with(keyed(EntryKind::spend, -5, 0), reversing),
        with(keyed(EntryKind::reverse, 5, 0), targeted),
        with(keyed(EntryKind::reverse, 5, 0), reversing),
        with(leg(EntryKind::reverse, -5), reversing),
        with(leg(EntryKind::reverse, -5), targeted),
        leg(EntryKind::commit, 5),
        with(leg(EntryKind::transfer, 5), targeted),
        keyed(EntryKind::hold, 0, 5),
        with(keyed(EntryKind::hold, 0, 5), [](Entry& entry) { entry.expires_at = Instant{0}; }),
        keyed(EntryKind::commit, -5, -5),
        with(keyed(EntryKind::commit, -6, -5), targeted),
        with(keyed(EntryKind::expire, 0, -5), targeted),
        keyed(EntryKind::limits, 0, 0),
    };
    for (const Entry& entry : wrong) {
        EXPECT_NE(shape_fault(entry), std::nullopt)
            << static_cast<int>(entry.kind) << " " << entry.amount << " " << entry.held_change;
    }
}

}  // namespace
}  // namespace passbook::audit
