// SPDX-License-Identifier: Apache-2.0
#include "cli/import_csv.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "cli/csv_reader.h"
#include "cli/subcommand.h"

namespace passbook::cli {
namespace {

/// A ledger of a few lines: a floor of 0 and an answer for every key.
class FakeTarget final : public ImportTarget {
public:
    struct Ledger {
        std::map<std::string, Amount> balances;
        std::map<std::string, std::optional<Amount>> answers;  ///< By key.
        std::map<std::string, Opening> openings;
        std::vector<std::string> calls;
    };

    explicit FakeTarget(Ledger& ledger) : ledger_(ledger) {}

    std::string describe() const override {
        return "fake";
    }
    void open(const AccountId& account, const Opening& opening) override {
        ledger_.calls.push_back("open " + account.text());
        if (ledger_.openings.emplace(account.text(), opening).second) {
            ledger_.balances[account.text()] = 0;
        }
    }
    void submit(ImportRow row) override {
        const std::string& key = row.request.command.key->text();
        ledger_.calls.push_back("submit " + key);
        const auto before = ledger_.answers.find(key);
        if (before != ledger_.answers.end()) {
            count(tally_, row.stated_balance, {true, before->second});
            return;
        }
        Amount& balance = ledger_.balances.at(row.account.text());
        const auto* grant = std::get_if<ledger::Grant>(&row.request.command.action);
        const Amount amount = grant != nullptr
                                  ? grant->amount
                                  : -std::get<ledger::Spend>(row.request.command.action).amount;
        std::optional<Amount> after;
        if (balance + amount >= 0) {
            after = balance += amount;
        }
        ledger_.answers.emplace(key, after);
        count(tally_, row.stated_balance, {false, after});
    }
    void finish() override {
        ledger_.calls.emplace_back("finish");
    }
    Amount balance(const AccountId& account) override {
        return ledger_.balances.at(account.text());
    }
    ImportTally tally() const override {
        return tally_;
    }

private:
    Ledger& ledger_;
    ImportTally tally_;
};

class ImportCsvTest : public testing::Test {
public:
    ~ImportCsvTest() override {
        std::filesystem::remove(import.file);
        std::filesystem::remove(rejects);
    }

protected:
    CsvImportResult run(const std::string& content) {
        std::ofstream(import.file, std::ios::binary) << content;
        return import_csv(import, [this]() -> std::unique_ptr<ImportTarget> {
            ++opened;
            return std::make_unique<FakeTarget>(ledger);
        });
    }

    std::string complaint(const std::string& content) {
        try {
            (void)run(content);
        } catch (const CannotRun& error) {
            const std::string text = error.what();
            return text.substr(text.find(import.file) == 0 ? import.file.size() : 0);
        }
        return "none";
    }

    static std::string content_of(const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    const std::string base = testing::TempDir() + "import_csv_test." + std::to_string(getpid());
    const std::string rejects = base + ".rejects";
    CsvImport import{.file = base + ".csv"};
    FakeTarget::Ledger ledger;
    int opened = 0;
};

const std::string header = "idempotency_key,account,amount,stated_balance\n";
const std::string good =
    header + "k1,b,100,100\nk2,a,50,50\nk3,b,-30,70\nk4,a,-60,-10\nk5,a,1,52\n";

TEST_F(ImportCsvTest, AccountsAreOpenedBeforeTheFirstRowAndRowsKeepTheirOrder) {
    const CsvImportResult result = run(good);
    EXPECT_EQ(ledger.calls,
              (std::vector<std::string>{"open a", "open b", "finish", "submit k1", "submit k2",
                                        "submit k3", "submit k4", "submit k5", "finish"}));
    EXPECT_TRUE(result.imported);
    EXPECT_EQ(result.rows, 5U);
    EXPECT_EQ(result.accounts, 2U);
    EXPECT_EQ(result.invalid, 0U);
    EXPECT_EQ(result.tally.posted, 4U);
    EXPECT_EQ(result.tally.refused, 1U);
    EXPECT_EQ(result.tally.replayed, 0U);
    EXPECT_TRUE(result.balance_sum == 70 + 51);
}

TEST_F(ImportCsvTest, ARefusedRowAndARowThatEndsElsewhereAreStatedBalanceDifferences) {
    EXPECT_EQ(run(good).tally.stated_balance_differences, 2U);
    EXPECT_EQ(run(header + "k6,a,1,\n").tally.stated_balance_differences, 0U);
}

TEST_F(ImportCsvTest, ASecondImportAnswersEveryRowAsBeforeAndSaysTheSameOfBalances) {
    (void)run(good);
    const CsvImportResult again = run(good);
    EXPECT_EQ(again.tally.replayed, 5U);
    EXPECT_EQ(again.tally.posted, 0U);
    EXPECT_EQ(again.tally.refused, 0U);
    EXPECT_EQ(again.tally.stated_balance_differences, 2U);
    EXPECT_TRUE(again.balance_sum == 121);
}

TEST_F(ImportCsvTest, TheFloorAndTheAssetOfItsFirstRowOpenAnAccount) {
    import.floor = std::optional<Amount>();
    (void)run("idempotency_key,account,amount,asset\nk1,a,1,won\nk2,a,1,point\nk3,b,1,\n");
    ASSERT_EQ(ledger.openings.size(), 2U);
    EXPECT_EQ(ledger.openings.at("a").asset->text(), "won");
    EXPECT_EQ(ledger.openings.at("b").asset, std::nullopt);
    ASSERT_TRUE(ledger.openings.at("a").floor.has_value());
    EXPECT_EQ(*ledger.openings.at("a").floor, std::nullopt);
}

TEST_F(ImportCsvTest, AnInvalidRowStopsItBeforeTheTargetIsEvenOpened) {
    const CsvImportResult result = run(header + "k1,a,1,\nk2,a,1.5,\nk3,a,1,\nk4,,1,\n");
    EXPECT_FALSE(result.imported);
    EXPECT_EQ(opened, 0);
    EXPECT_EQ(result.rows, 4U);
    EXPECT_EQ(result.invalid, 2U);
    EXPECT_EQ(result.first_fault.substr(import.file.size()),
              ":3: column 3 (amount): '1.5' must be an integer in the minor unit, not 0, within "
              "plus or minus 9007199254740991");
}

TEST_F(ImportCsvTest, WithRejectsTheOtherRowsGoInAndTheInvalidOnesCanBePutRight) {
    import.rejects = rejects;
    const std::string content = header + "k1,a,1,\nk2,\"a,b\",1,\nk3,a,\"1\"x,\nk4,a,2,\nk5,a\n";
    const CsvImportResult result = run(content);
    EXPECT_TRUE(result.imported);
    EXPECT_EQ(result.invalid, 3U);
    EXPECT_EQ(result.tally.posted, 2U);
    EXPECT_TRUE(result.balance_sum == 3);
    EXPECT_EQ(content_of(rejects),
              "idempotency_key,account,amount,stated_balance,rejected_line,rejected_because\r\n"
              "k2,\"a,b\",1,,3,\"column 2 (account): 'a,b' must be 1 to 64 letters, digits or "
              "._:@+-, and begin with a letter or digit\"\r\n"
              "\"k3,a,\"\"1\"\"x,\",,,,4,a quotation mark stands where none may be\r\n"
              "k5,a,,,6,it has 2 fields where the header has 4\r\n");

    // Put right, the rejects are a file like any other; its two columns of ours do not hinder.
    import.rejects.clear();
    const CsvImportResult second =
        run("idempotency_key,account,amount,stated_balance,rejected_line,rejected_because\r\n"
            "k2,ab,1,,3,\"column 2\"\r\n");
    EXPECT_EQ(second.tally.posted, 1U);
}

TEST_F(ImportCsvTest, RejectsDoNotOverwriteTheFileItself) {
    import.rejects = import.file;
    EXPECT_EQ(complaint(good), "--rejects " + import.file + ": is the file to import itself");
    EXPECT_EQ(content_of(import.file), good);
}

TEST_F(ImportCsvTest, RejectsThatCannotBeWrittenAreToldBeforeAnythingIsImported) {
    import.rejects = "no/such/folder/rejects.csv";
    EXPECT_EQ(complaint(good), "--rejects no/such/folder/rejects.csv: No such file or directory");
    EXPECT_EQ(opened, 0);
}

TEST_F(ImportCsvTest, AFileWithoutAHeaderIsToldInOneLine) {
    EXPECT_EQ(complaint(""), ": the file is empty; it must begin with a header");
    EXPECT_EQ(complaint("\n\nk1,a,5\n").substr(0, 22), ":3: column 1 is 'k1', ");
}

TEST_F(ImportCsvTest, AFileOfAHeaderAloneHasNoRows) {
    const CsvImportResult result = run(header);
    EXPECT_TRUE(result.imported);
    EXPECT_EQ(result.rows, 0U);
    EXPECT_EQ(result.accounts, 0U);
}

}  // namespace
}  // namespace passbook::cli
