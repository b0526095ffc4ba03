// SPDX-License-Identifier: Apache-2.0
#include "base/codes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/codes_page.h"

namespace passbook {
namespace {

TEST(Codes, HaveOneNameAndOneNumberEachAndAreFoundByBoth) {
    std::set<std::string_view> names;
    for (const CodeInfo& row : all_codes()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(code_named(row.name), row.code);
        EXPECT_EQ(code_numbered(static_cast<std::uint16_t>(row.code)), row.code);
        EXPECT_EQ(&info(row.code), &row);
        EXPECT_FALSE(row.title.empty());
        EXPECT_TRUE(row.meaning.ends_with('.')) << row.name;
    }
    EXPECT_EQ(code_named("no_such_code"), std::nullopt);
    EXPECT_EQ(code_numbered(0), std::nullopt);
    EXPECT_EQ(code_numbered(9999), std::nullopt);
}

TEST(Codes, HaveTheStatusAndKeepingThatTheirKindPromises) {
    for (const CodeInfo& row : all_codes()) {
        switch (row.kind) {
            case CodeKind::malformed:
                EXPECT_TRUE(row.status >= 400 && row.status < 500) << row.name;
                EXPECT_FALSE(row.stored) << row.name;
                break;
            case CodeKind::not_found:
                EXPECT_EQ(row.status, 404) << row.name;
                EXPECT_FALSE(row.stored) << row.name;
                break;
            case CodeKind::refusal:
                EXPECT_EQ(row.status, 422) << row.name;
                EXPECT_EQ(row.stored, row.code != Code::idempotency_key_reused) << row.name;
                break;
            case CodeKind::conflict:
                EXPECT_EQ(row.status, 409) << row.name;
                break;
            case CodeKind::failure:
                EXPECT_EQ(row.status, row.code == Code::broken ? 500 : 503) << row.name;
                EXPECT_FALSE(row.stored) << row.name;
                EXPECT_EQ(row.retry_after_s > 0, row.status == 503) << row.name;
        }
    }
}

TEST(Codes, MakeTheCommittedPage) {
    std::ifstream file(PASSBOOK_SOURCE_DIR "/docs/errors.md");
    std::stringstream page;
    page << file.rdbuf();
    EXPECT_EQ(page.str(), codes_page())
        << "write it anew: build the target codes_page and run tools/codes_page > docs/errors.md";
}

}  // namespace
}  // namespace passbook
