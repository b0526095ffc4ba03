// SPDX-License-Identifier: Apache-2.0
#include "cli/import_row.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace passbook::cli {
namespace {

using Fields = std::vector<std::string>;

const Fields all_columns{"idempotency_key", "account",        "effective_at", "amount",
                         "reason",          "stated_balance", "asset"};

Header header_of(const Fields& fields) {
    const auto header = Header::parse({.line = 1, .fields = fields});
    EXPECT_TRUE(header.has_value());
    return *header;
}

std::string header_fault(const Fields& fields) {
    const auto header = Header::parse({.line = 1, .fields = fields});
    return header ? "none" : header.error();
}

Result<ImportRow, RowFault> parse(const Fields& fields) {
    return parse_row(header_of(all_columns), {.line = 17, .fields = fields});
}

std::string fault_of(const Fields& fields) {
    const auto row = parse(fields);
    return row ? "none" : std::to_string(row.error().line) + ": " + row.error().text();
}

TEST(ImportHeader, FindsColumnsByNameInAnyOrder) {
    const Header header = header_of({"amount", "account", "rejected_because", "idempotency_key"});
    EXPECT_EQ(header.width(), 4U);
    EXPECT_EQ(header.place(Column::amount), 0U);
    EXPECT_EQ(header.place(Column::idempotency_key), 3U);
    EXPECT_EQ(header.place(Column::reason), std::nullopt);
}

TEST(ImportHeader, SaysWhichColumnIsMissingUnknownOrDouble) {
    EXPECT_EQ(header_fault({"account", "amount"}), "column idempotency_key is missing");
    EXPECT_EQ(header_fault({"idempotency_key", "amount"}), "column account is missing");
    EXPECT_EQ(header_fault({"idempotency_key", "account"}), "column amount is missing");
    EXPECT_EQ(header_fault({"idempotency_key", "account", "amount", "cause"}),
              "column 4 is 'cause', which is none of idempotency_key, account, amount, "
              "effective_at, reason, stated_balance, asset");
    EXPECT_EQ(header_fault({"account", "account"}), "column account stands twice");
}

TEST(ImportRow, APositiveAmountIsAGrant) {
    const auto row = parse({"k1", "czk-1", "1993-01-01", "500", "SALARY", "-7", ""});
    ASSERT_TRUE(row.has_value());
    EXPECT_EQ(row->line, 17U);
    EXPECT_EQ(row->account.text(), "czk-1");
    EXPECT_EQ(row->stated_balance, -7);
    EXPECT_EQ(row->asset, std::nullopt);
    const ledger::Command& command = row->request.command;
    const auto& grant = std::get<ledger::Grant>(command.action);
    EXPECT_EQ(grant.account.text(), "czk-1");
    EXPECT_EQ(grant.amount, 500);
    EXPECT_EQ(command.key->text(), "k1");
    EXPECT_EQ(command.reason, "SALARY");
    EXPECT_EQ(to_text(*command.effective_at), "1993-01-01T00:00:00.000000Z");
    EXPECT_EQ(command.metadata, std::nullopt);
}

TEST(ImportRow, ANegativeAmountIsASpend) {
    const auto row = parse({"k1", "czk-1", "", "-500", "", "", "czk"});
    ASSERT_TRUE(row.has_value());
    const auto& spend = std::get<ledger::Spend>(row->request.command.action);
    EXPECT_EQ(spend.amount, 500);
    EXPECT_EQ(spend.asset->text(), "czk");
    EXPECT_EQ(row->asset->text(), "czk");
    EXPECT_EQ(row->request.command.reason, std::nullopt);
    EXPECT_EQ(row->request.command.effective_at, std::nullopt);
    EXPECT_EQ(row->stated_balance, std::nullopt);
}

TEST(ImportRow, SharesItsFingerprintWithTheSameCommandFromElsewhere) {
    ledger::Command command{ledger::Grant{AccountId::trusted("a"), 5, {}}};
    command.key = Key::trusted("k");
    command.effective_at = parse_instant("2026-01-01T09:00:00+09:00");
    const auto row = parse({"k", "a", "2026-01-01", "5", "", "", ""});
    EXPECT_EQ(row->request.fingerprint, ledger::prepare(command)->fingerprint);
}

TEST(ImportRow, AFaultNamesTheColumnAndWhatItMustBe) {
    EXPECT_EQ(fault_of({"", "a", "", "5", "", "", ""}),
              "17: column 1 (idempotency_key): '' must be 1 to 128 visible ASCII characters other "
              "than \" and \\");
    EXPECT_EQ(fault_of({"k", "a b", "", "5", "", "", ""}),
              "17: column 2 (account): 'a b' must be 1 to 64 letters, digits or ._:@+-, and begin "
              "with a letter or digit");
    EXPECT_EQ(fault_of({"k", "a", "", "12.5", "", "", ""}),
              "17: column 4 (amount): '12.5' must be an integer in the minor unit, not 0, within "
              "plus or minus 9007199254740991");
    EXPECT_EQ(fault_of({"k", "a", "01.02.1993", "5", "", "", ""}),
              "17: column 3 (effective_at): '01.02.1993' must be YYYY-MM-DD or RFC 3339 with an "
              "offset");
    EXPECT_EQ(fault_of({"k", "a", "", "5", "\xFF", "", ""}),
              "17: column 5 (reason): '\\xff' must be UTF-8 text");
    EXPECT_EQ(fault_of({"k", "a", "", "5", std::string(1025, 'x'), "", ""}),
              "17: column 5 (reason): '" + std::string(40, 'x') +
                  "'... must have at most 1024 "
                  "bytes");
    EXPECT_EQ(fault_of({"k", "a", "", "5", "", "1e3", ""}),
              "17: column 6 (stated_balance): '1e3' must be an integer within plus or minus "
              "9007199254740991");
    EXPECT_EQ(fault_of({"k", "a", "", "5", "", "", "?"}),
              "17: column 7 (asset): '?' is no asset code");
    EXPECT_EQ(fault_of({"k", "a", "", "5"}), "17: it has 4 fields where the header has 7");
}

TEST(ImportRow, ARowThatIsNoCsvIsAFaultWithoutAColumn) {
    const auto row =
        parse_row(header_of(all_columns),
                  {.line = 3, .fields = {"x"}, .fault = "a quotation mark is not closed"});
    EXPECT_EQ(row.error().text(), "a quotation mark is not closed");
    EXPECT_TRUE(row.error().column.empty());
}

TEST(ImportAmount, OnlyPlainDigitsAreRead) {
    EXPECT_EQ(parse_amount("0"), 0);
    EXPECT_EQ(parse_amount("-1"), -1);
    EXPECT_EQ(parse_amount("9007199254740991"), amount_max);
    EXPECT_EQ(parse_amount("-9007199254740991"), -amount_max);
    for (const char* text : {"", "-", "+1", "01", "-01", "-0", " 1", "1 ", "1.0", "1e3", "0x1",
                             "1,000", "9007199254740992", "99999999999999999999", "--1", "1-"}) {
        EXPECT_EQ(parse_amount(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace passbook::cli
