// SPDX-License-Identifier: Apache-2.0
#include "cli/store_line.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace passbook::cli {
namespace {

using namespace ledger;

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");

RequestMark mark_of(std::uint8_t seed) {
    RequestMark mark{.key = Key::trusted("=k-" + std::to_string(seed))};
    mark.fingerprint.fill(seed);
    mark.format = 3;
    return mark;
}

Entry plain() {
    return {.account = alice,
            .seq = 7,
            .kind = EntryKind::spend,
            .amount = -5,
            .balance_after = amount_max,
            .recorded_at = Instant{1'700'000'000'123'456}};
}

Entry full() {
    Entry entry = plain();
    entry.kind = EntryKind::limits;
    entry.held_change = -3;
    entry.held_after = 4;
    entry.effective_at = Instant{-1};
    entry.request = mark_of(1);
    entry.subject = EntryId{bob, 9};
    entry.target = 5;
    entry.reverses = 6;
    entry.expires_at = Instant{1'800'000'000'000'000};
    entry.limits = Limits{.floor = {}, .ceiling = 5};
    entry.reason = "line\nbreak, \"quoted\" 포인트";
    entry.metadata = "{\"a\":\"\\u0001\"}";
    return entry;
}

template <class Row>
void expect_back(const Row& row) {
    std::string text;
    append_line(text, row);
    ASSERT_EQ(text.find('\n'), text.size() - 1) << text;
    text.pop_back();
    const auto line = parse_line(text);
    ASSERT_TRUE(line.has_value()) << line.error() << " in " << text;
    EXPECT_EQ(std::get<Row>(*line), row) << text;
}

TEST(StoreLine, EveryRowComesBackAsItWas) {
    expect_back(ExportBegin{});
    expect_back(ExportBegin{.format = 7, .whole = false});
    expect_back(ExportEnd{.assets = 1, .accounts = 2, .entries = 3, .refusals = 4});
    expect_back(default_asset());
    expect_back(Asset{.code = AssetCode::trusted("won"),
                      .scale = 2,
                      .balanced = true,
                      .open_on_first_credit = false,
                      .floor = {},
                      .ceiling = 9});
    expect_back(Account{.id = alice,
                        .asset = AssetCode::trusted("won"),
                        .limits = {.floor = -5, .ceiling = {}},
                        .opening_limits = {.floor = -5, .ceiling = {}},
                        .opened_at = Instant{1},
                        .recorded_at = Instant{1},
                        .metadata = "{\"tier\":\"gold\"}"});
    expect_back(plain());
    expect_back(full());
}

TEST(StoreLine, EveryKindOfEntryComesBack) {
    for (int kind = 1; kind <= static_cast<int>(EntryKind::limits); ++kind) {
        Entry entry = plain();
        entry.kind = static_cast<EntryKind>(kind);
        expect_back(entry);
    }
}

TEST(StoreLine, ARefusalComesBackWithNumbersBeyondWhatJsonClientsRead) {
    StoredRefusal refusal{.subject = alice,
                          .request = mark_of(1),
                          .refusal = {.code = Code::unbalanced_transaction},
                          .recorded_at = Instant{2}};
    refusal.refusal.numbers = {std::numeric_limits<std::int64_t>::max(),
                               std::numeric_limits<std::int64_t>::min(), 0};
    expect_back(refusal);
    refusal.refusal.account = bob;
    expect_back(refusal);
}

TEST(StoreLine, OfAnAccountOnlyWhatItOpenedWithIsWritten) {
    Account account{.id = alice, .asset = AssetCode::trusted("point")};
    account.opening_limits.floor = 0;
    std::string before;
    append_line(before, account);
    account.balance = 5;
    account.seq = 9;
    account.status = AccountStatus::frozen;
    account.limits.floor = -7;
    account.wake_at = Instant{5};
    std::string after;
    append_line(after, account);
    EXPECT_EQ(after, before);
}

std::string fault_of(std::string_view line) {
    const auto parsed = parse_line(line);
    return parsed ? "none" : parsed.error();
}

TEST(StoreLine, WhatIsNoLineOfAnExportIsToldWhy) {
    EXPECT_EQ(fault_of("[]"), "it is no object of one object");
    EXPECT_EQ(fault_of("{}"), "it is no object of one object");
    EXPECT_EQ(fault_of(R"({"end":1})"), "it is no object of one object");
    EXPECT_EQ(fault_of(R"({"thing":{}})"), "'thing' is no line of an export");
    EXPECT_EQ(fault_of(R"({"passbook_export":{"format":1}})"), "its field whole is missing");
    EXPECT_EQ(fault_of(R"({"passbook_export":{"format":"1","whole":true}})"),
              "its field format has no value of its kind");
    EXPECT_EQ(fault_of(R"({"passbook_export":{"format":1,"whole":true,"more":1}})"),
              "it has a field that this release does not know");
    EXPECT_NE(fault_of("{\"end\":"), "none");
    EXPECT_NE(fault_of(""), "none");
}

TEST(StoreLine, AWrongValueIsToldByItsField) {
    std::string good;
    append_line(good, full());
    const auto broken = [&](const std::string& from, const std::string& to) {
        std::string line = good;
        line.replace(line.find(from), from.size(), to);
        return fault_of(line);
    };
    EXPECT_EQ(broken("\"kind\":\"limits\"", "\"kind\":\"gift\""),
              "its kind is none that this release knows");
    EXPECT_EQ(broken("\"seq\":7", "\"seq\":7.5"), "its field seq has no value of its kind");
    EXPECT_EQ(broken("\"target\":5", "\"target\":\"5\""),
              "its field target has no value of its kind");
    EXPECT_EQ(broken("\"account\":\"alice\"", "\"account\":\"a lice\""),
              "its field account has no value of its kind");
    EXPECT_EQ(broken("\"fingerprint\":\"01", "\"fingerprint\":\"0x"),
              "its field fingerprint has no value of its kind");
    EXPECT_EQ(broken("\"fingerprint\":\"01", "\"fingerprint\":\""),
              "its field fingerprint has no value of its kind");
    EXPECT_EQ(broken("\"recorded_at\":\"2023", "\"recorded_at\":\"2023x"),
              "its field recorded_at has no value of its kind");
}

}  // namespace
}  // namespace passbook::cli
