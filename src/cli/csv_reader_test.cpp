// SPDX-License-Identifier: Apache-2.0
#include "cli/csv_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace passbook::cli {
namespace {

using Fields = std::vector<std::string>;

class CsvReaderTest : public testing::Test {
public:
    ~CsvReaderTest() override {
        std::filesystem::remove(path);
    }

protected:
    struct Read {
        std::vector<Fields> rows;
        std::vector<std::uint64_t> lines;
        std::vector<std::string> faults;
    };

    Read read(const std::string& content) {
        std::ofstream(path, std::ios::binary) << content;
        Read all;
        CsvReader reader(path);
        CsvRow row;
        while (reader.next(row)) {
            all.rows.push_back(row.fields);
            all.lines.push_back(row.line);
            if (row.fault) {
                all.faults.push_back(std::to_string(row.line) + " " + *row.fault);
            }
        }
        EXPECT_EQ(reader.bytes_read(), content.size());
        EXPECT_EQ(reader.bytes_total(), content.size());
        return all;
    }

    const std::string path = testing::TempDir() + "csv_reader_test." + std::to_string(getpid());
};

TEST_F(CsvReaderTest, RowsEndWithLfOrCrlfAndTheLastMayEndWithNeither) {
    const Read all = read("a,b\r\n1,2\n3,4");
    EXPECT_EQ(all.rows, (std::vector<Fields>{{"a", "b"}, {"1", "2"}, {"3", "4"}}));
    EXPECT_EQ(all.lines, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(CsvReaderTest, AByteOrderMarkIsNoPartOfTheFirstField) {
    EXPECT_EQ(read("\xEF\xBB\xBF"
                   "a,b\n")
                  .rows,
              (std::vector<Fields>{{"a", "b"}}));
}

TEST_F(CsvReaderTest, QuotedFieldsHoldCommasQuotationMarksAndLineBreaks) {
    const Read all = read("\"a,b\",\"say \"\"hi\"\"\",\"two\r\nlines\"\r\nx,y,z\r\n");
    EXPECT_EQ(all.rows,
              (std::vector<Fields>{{"a,b", "say \"hi\"", "two\r\nlines"}, {"x", "y", "z"}}));
    EXPECT_EQ(all.lines, (std::vector<std::uint64_t>{1, 3}));
}

TEST_F(CsvReaderTest, BlanksBelongToTheirFieldAndEmptyFieldsCount) {
    EXPECT_EQ(read(" a ,,\tb\n,\n").rows, (std::vector<Fields>{{" a ", "", "\tb"}, {"", ""}}));
}

TEST_F(CsvReaderTest, EmptyLinesArePassedOverButCounted) {
    const Read all = read("\n\r\na\n\n\r\nb\n\n");
    EXPECT_EQ(all.rows, (std::vector<Fields>{{"a"}, {"b"}}));
    EXPECT_EQ(all.lines, (std::vector<std::uint64_t>{3, 6}));
}

TEST_F(CsvReaderTest, AnEmptyFileHasNoRows) {
    EXPECT_TRUE(read("").rows.empty());
    EXPECT_TRUE(read("\xEF\xBB\xBF").rows.empty());
    EXPECT_TRUE(read("\r\n\n").rows.empty());
}

TEST_F(CsvReaderTest, AStrayQuotationMarkSpoilsItsLineAlone) {
    const Read all = read("1,2\n3,4\"5\n6,\"7\"8\n9,10\n");
    EXPECT_EQ(all.rows, (std::vector<Fields>{{"1", "2"}, {"3,4\"5"}, {"6,\"7\"8"}, {"9", "10"}}));
    EXPECT_EQ(all.faults,
              (std::vector<std::string>{"2 a quotation mark stands where none may be",
                                        "3 a quotation mark stands where none may be"}));
}

TEST_F(CsvReaderTest, AnUnclosedQuotationMarkSpoilsItsLineAloneNotTheRestOfTheFile) {
    const Read all = read("1,2\n3,\"4\n5,6\n");
    EXPECT_EQ(all.rows, (std::vector<Fields>{{"1", "2"}, {"3,\"4"}, {"5", "6"}}));
    EXPECT_EQ(all.faults, (std::vector<std::string>{"2 a quotation mark is not closed"}));
    EXPECT_EQ(all.lines, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(CsvReaderTest, ARowMayNotGrowWithoutBound) {
    std::string content = "1,\"2\n";
    for (int i = 0; i < 20'000; ++i) {
        content += "3,4\n5,6\n";
    }
    const Read all = read(content);
    ASSERT_EQ(all.rows.size(), 40'001U);
    EXPECT_EQ(all.faults,
              (std::vector<std::string>{"1 it is too long, or a quotation mark is not closed"}));
    EXPECT_EQ(all.rows[1], (Fields{"3", "4"}));
    EXPECT_EQ(all.lines.back(), 40'001U);
}

TEST_F(CsvReaderTest, AnOverlongLineIsPassedOverWhole) {
    const Read all = read("1\n" + std::string(300'000, 'x') + "\n2\n");
    ASSERT_EQ(all.rows.size(), 3U);
    EXPECT_EQ(all.rows[2], (Fields{"2"}));
    EXPECT_EQ(all.lines, (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_EQ(all.faults.size(), 1U);
}

TEST_F(CsvReaderTest, RowsAcrossTheEdgeOfTheBufferAreWhole) {
    std::string content;
    std::vector<Fields> expected;
    for (int i = 0; i < 40'000; ++i) {
        expected.push_back({std::to_string(i), "x\n\"" + std::to_string(i)});
        content += std::to_string(i) + ",\"x\n\"\"" + std::to_string(i) + "\"\r\n";
    }
    const Read all = read(content);
    EXPECT_TRUE(all.rows == expected);
    EXPECT_EQ(all.lines.back(), 79'999U);
}

TEST_F(CsvReaderTest, BytesThatAreNoTextAreHandedOverAsTheyAre) {
    const std::string field("a\0\xFF", 3);
    EXPECT_EQ(read(field + ",b\n").rows, (std::vector<Fields>{{field, "b"}}));
}

TEST_F(CsvReaderTest, AMissingFileOrAFolderIsToldInOneLine) {
    try {
        const CsvReader reader("no/such/file.csv");
        FAIL();
    } catch (const FileError& error) {
        EXPECT_STREQ(error.what(), "no/such/file.csv: No such file or directory");
    }
    EXPECT_THROW(CsvReader{testing::TempDir()}, FileError);
}

}  // namespace
}  // namespace passbook::cli
