// SPDX-License-Identifier: Apache-2.0
#include "cli/csv_writer.h"

#include <gtest/gtest.h>
#include <string>

namespace passbook::cli {
namespace {

TEST(CsvWriter, ATextThatASpreadsheetWouldCalculateIsGuarded) {
    for (const char* begin : {"=", "+", "-", "@", "\t", "\r"}) {
        const std::string text = std::string(begin) + "cmd|' /C calc'!A0";
        EXPECT_EQ(guarded(text), "'" + text);
    }
    EXPECT_EQ(guarded("salary = 5"), "salary = 5");
    EXPECT_EQ(guarded(""), "");
}

TEST(CsvWriter, OnlyFreeTextIsGuarded) {
    std::string out;
    CsvWriter writer(out);
    writer.text("-5").exact("-5").number(-5);
    writer.end_row();
    EXPECT_EQ(out, "'-5,-5,-5\r\n");
}

TEST(CsvWriter, QuotationMarksCommasAndLineBreaksAreQuoted) {
    std::string out;
    CsvWriter writer(out);
    writer.text("a,b").text("say \"hi\"").text("two\nlines").text("plain").text("");
    writer.end_row();
    writer.text("=1,2");
    writer.end_row();
    EXPECT_EQ(out, "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",plain,\r\n\"'=1,2\"\r\n");
}

}  // namespace
}  // namespace passbook::cli
