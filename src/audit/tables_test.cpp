// SPDX-License-Identifier: Apache-2.0
#include "audit/tables.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace passbook::audit {
namespace {

class FakeTables final : public store::Tables {
public:
    void query(std::string_view sql,
               const std::function<void(std::string_view, std::int64_t)>& row) override {
        for (const auto& [id, number] : answers.at(std::string(sql))) {
            row(id, number);
        }
    }

    std::map<std::string, std::vector<std::pair<std::string, std::int64_t>>> answers;
};

class TablesTest : public testing::Test {
protected:
    TableSummary run() {
        return reconcile_tables(tables, {.balances = "balances", .entries = "entries"},
                                [this](const TableDifference& d) { found.push_back(d); });
    }

    FakeTables tables;
    std::vector<TableDifference> found;
};

TEST_F(TablesTest, BalancesThatAreTheSumsOfTheirEntriesAreRight) {
    tables.answers["balances"] = {{"a", 30}, {"b", -5}, {"empty", 0}};
    tables.answers["entries"] = {{"a", 100}, {"b", -5}, {"a", -70}};
    const TableSummary summary = run();
    EXPECT_TRUE(found.empty());
    EXPECT_EQ(summary.differences, 0U);
    EXPECT_EQ(summary.balances, 3U);
    EXPECT_EQ(summary.entries, 3U);
    EXPECT_TRUE(summary.balance_sum == 25 && summary.entries_sum == 25);
}

TEST_F(TablesTest, EachKindOfDifferenceIsToldInOrderOfTheId) {
    tables.answers["balances"] = {{"z", 1}, {"twice", 4}, {"twice", 4}, {"no_entries", 7}};
    tables.answers["entries"] = {{"z", 2}, {"no_balance", 0}, {"twice", 8}};
    EXPECT_EQ(run().differences, 4U);
    EXPECT_EQ(found, (std::vector<TableDifference>{
                         {"no_balance", Total{0}, std::nullopt, 0},
                         {"no_entries", std::nullopt, Total{7}, 1},
                         {"twice", Total{8}, Total{8}, 2},
                         {"z", Total{2}, Total{1}, 1},
                     }));
}

TEST_F(TablesTest, SumsMayPassTheRangeOfOneInteger) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    tables.answers["balances"] = {{"a", most}};
    tables.answers["entries"] = {{"a", most}, {"a", most}, {"a", -most}};
    EXPECT_EQ(run().differences, 0U);
    tables.answers["entries"] = {{"a", most}, {"a", most}};
    run();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].entries_sum == Total{most} * 2);
}

}  // namespace
}  // namespace passbook::audit
