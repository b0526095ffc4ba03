// SPDX-License-Identifier: Apache-2.0
#include "audit/key_audit.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <string>

#include "base/id.h"

namespace passbook::audit {
namespace {

Key key_of(int number) {
    return Key::trusted("k" + std::to_string(number));
}

/// All passes over `count` different keys with one repeat each of the keys `again`.
std::vector<Repeat> walk(KeyAudit& audit, int count, const std::vector<int>& again, int& passes) {
    std::vector<Repeat> found;
    audit.begin();
    passes = 0;
    do {
        ++passes;
        for (int i = 1; i <= count; ++i) {
            audit.add(key_of(i), i);
        }
        for (const int i : again) {
            audit.add(key_of(i), 0);
        }
        for (const Repeat& repeat : audit.repeats()) {
            found.push_back(repeat);
        }
    } while (audit.next_pass());
    return found;
}

TEST(KeyAudit, DifferentKeysAreNoRepeat) {
    KeyAudit audit(1000);
    int passes = 0;
    EXPECT_TRUE(walk(audit, 500, {}, passes).empty());
    EXPECT_EQ(passes, 1);
}

TEST(KeyAudit, ARepeatIsFoundWithBothPlaces) {
    KeyAudit audit(1000);
    int passes = 0;
    EXPECT_EQ(walk(audit, 500, {77}, passes), (std::vector<Repeat>{{0, 77}}));
}

TEST(KeyAudit, AnAccountWithMoreKeysThanAreKeptIsWalkedInPartsAndNoRepeatIsLostOrToldTwice) {
    KeyAudit audit(64);
    int passes = 0;
    const std::vector<Repeat> found = walk(audit, 1000, {1, 500, 1000}, passes);
    EXPECT_GE(passes, 1000 / 64);
    std::vector<std::int64_t> seqs;
    for (const Repeat& repeat : found) {
        seqs.push_back(repeat.second_seq);
    }
    std::sort(seqs.begin(), seqs.end());
    EXPECT_EQ(seqs, (std::vector<std::int64_t>{1, 500, 1000}));
}

TEST(KeyAudit, TheSameKeyManyTimesIsToldAndEnds) {
    KeyAudit audit(4);
    audit.begin();
    for (int i = 1; i <= 20; ++i) {
        audit.add(key_of(1), i);
    }
    std::size_t repeats = audit.repeats().size();
    while (audit.next_pass()) {
        for (int i = 1; i <= 20; ++i) {
            audit.add(key_of(1), i);
        }
        repeats += audit.repeats().size();
    }
    EXPECT_EQ(repeats, 19U);
}

TEST(KeyAudit, TheNextAccountStartsAnew) {
    KeyAudit audit(10);
    audit.begin();
    audit.add(key_of(1), 1);
    audit.begin();
    audit.add(key_of(1), 1);
    EXPECT_TRUE(audit.repeats().empty());
}

}  // namespace
}  // namespace passbook::audit
