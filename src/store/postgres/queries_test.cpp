// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/queries.h"

#include <gtest/gtest.h>
#include <string>

namespace passbook::store::postgres {
namespace {

constexpr auto npos = std::string_view::npos;

std::vector<const Query*> of_the_write_path(const Queries& all) {
    return {&all.lock_accounts,
            &all.standings,
            &all.used_keys,
            &all.records,
            &all.refusals,
            &all.originals,
            &all.holds,
            &all.open_holds,
            &all.legs,
            &all.insert_entries,
            &all.insert_plain_entries,
            &all.insert_refusals,
            &all.describe_accounts,
            &all.insert_accounts};
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t times = 0;
    for (auto at = text.find(part); at != npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

// What an engine needs that spreads a store by shard: an equality with one value, in every
// statement, on every table that is spread.
TEST(Queries, EachStatementOfTheWritePathNamesOneShardWhereItMay) {
    for (const Query* query : of_the_write_path(queries(Reach::one_shard))) {
        const std::string_view text = query->sql;
        EXPECT_NE(text.find("$1::smallint"), npos) << text;
        EXPECT_EQ(text.find("$1::smallint[]"), npos) << text;
        const bool compared = text.find("shard = $1::smallint") != npos;
        EXPECT_TRUE(compared || text.find("SELECT $1::smallint, unnest") != npos) << text;
    }
}

TEST(Queries, OneStatementServesAllShardsWhereItMay) {
    for (const Query* query : of_the_write_path(queries(Reach::all_shards))) {
        if (query->name != queries().legs.name) {
            EXPECT_EQ(count(query->sql, "$1::smallint[]"), 1U) << query->sql;
        }
    }
}

}  // namespace
}  // namespace passbook::store::postgres
