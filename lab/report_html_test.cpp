// SPDX-License-Identifier: Apache-2.0
#include "lab/report_html.h"

#include <gtest/gtest.h>
#include <string>

#include "lab/figures.h"
#include "lab/html.h"

namespace passbook::lab {
namespace {

using std::chrono::milliseconds;

TEST(Html, NoTextBecomesMarkup) {
    EXPECT_EQ(escaped(R"(<b a="1" c='2'>&</b>)"),
              "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
    EXPECT_EQ(escaped("잔액 … ✓\n"), "잔액 … ✓\n");
    EXPECT_EQ(escaped("a\x1B[31mb\xFF"), "a\uFFFD[31mb\uFFFD");
    EXPECT_EQ(escaped("\xEC\x9E"), "\uFFFD\uFFFD");
}

TEST(Figures, TellHowLongWasWaitedAndHowMuchWasAnswered) {
    const Way way;
    WayResult result{.way = &way};
    EXPECT_FALSE(waits_of(result));
    EXPECT_FALSE(rate_of(result));
    result.rounds.resize(3);
    for (int n = 1; n <= 20; ++n) {
        result.rounds[static_cast<std::size_t>(n % 3)].waits.emplace_back(milliseconds(n));
    }
    const auto waits = waits_of(result);
    ASSERT_TRUE(waits);
    EXPECT_EQ(waits->count, 20U);
    EXPECT_EQ(waits->half, milliseconds(10));
    EXPECT_EQ(waits->most, milliseconds(19));
    EXPECT_EQ(waits->longest, milliseconds(20));
    for (std::size_t n = 0; n < 3; ++n) {
        result.rounds[n].accepted = 10;
        result.rounds[n].time = milliseconds(100 * (n + 1));
    }
    EXPECT_DOUBLE_EQ(rate_of(result).value_or(0), 50);
}

/// An experiment in which every text would break out of its place.
class Page : public testing::Test {
protected:
    static Text wild(const std::string& name) {
        return {"<script>" + name + "</script>\"'&", "<script>" + name + "</script>\"'& 말"};
    }

    Experiment experiment{.id = "X1",
                          .question = wild("question"),
                          .setting = wild("setting"),
                          .expectation = wild("expectation"),
                          .ways = {{.name = "wild_<way>", .how = wild("how")},
                                   {.name = "absent", .how = wild("how")}}};
    ExperimentResult result{
        &experiment,
        {{.way = &experiment.ways[0],
          .rounds = {{.accepted = 2,
                      .refused = 1'234,
                      .balance = 5,
                      .entries_sum = -7'000,
                      .time = milliseconds(10),
                      .failure = wild("failure"),
                      .figures = {{wild("figure"), 42}},
                      .waits = {milliseconds(3)}}},
          .happenings = {{milliseconds(1), 0, Moment::began, verbatim("BEGIN")},
                         {milliseconds(4), 1, Moment::read, wild("happening")},
                         {milliseconds(9), 0, Moment::committed, verbatim("COMMIT")}},
          .lanes = {wild("lane"), verbatim("B")}},
         {.way = &experiment.ways[1], .absent = wild("absence")}}};
};

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

TEST_F(Page, EveryTextIsThereAndNoneBecomesMarkup) {
    for (const Language language : languages) {
        const std::string page = html_of({result}, language, "<when>", "<version>");
        for (const char* text : {"question", "setting", "expectation", "how", "failure", "figure",
                                 "happening", "lane", "absence"}) {
            EXPECT_NE(page.find("&lt;script&gt;" + std::string(text) + "&lt;/script&gt;&quot;"),
                      std::string::npos)
                << text;
        }
        EXPECT_EQ(count(page, "<script>"), 1U);  // The page's own.
        for (const char* text : {"wild_<wbr>&lt;way&gt;", "&lt;when&gt;", "&lt;version&gt;"}) {
            EXPECT_NE(page.find(text), std::string::npos) << text;
        }
    }
}

TEST_F(Page, AsksNoNetwork) {
    const std::string page = html_of({result}, Language::english, "now", "1");
    for (const char* text : {"http:", "https:", "src=", "url(", "@import", "<link"}) {
        EXPECT_EQ(page.find(text), std::string::npos) << text;
    }
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST_F(Page, WhatIsDrawnIsWrittenToo) {
    const std::string page = html_of({result}, Language::english, "now", "1");
    for (const char* cell :
         {"<td>2</td>", "<td>1,234</td>", "<td>1 of 1</td>", "<td>42</td>", "<td>-7,000</td>",
          "<td>7,005</td>", "<td>3.0 ms</td>", "<td>123,600</td>", "<td>10.0 ms</td>"}) {
        EXPECT_NE(page.find(cell), std::string::npos) << cell;
    }
    EXPECT_NE(page.find(R"(<th scope="row">SQLite</th><td class="good">0 / 0</td>)"
                        R"(<td class="bad">0 / 1</td><td>1</td>)"),
              std::string::npos);
    EXPECT_EQ(count(page, "<g class=\"mark"), 3U);
    EXPECT_EQ(count(page, "<tr class="), 3U);
    for (const char* kind : {"accepted", "refused", "balance", "entries", "half", "rate"}) {
        EXPECT_EQ(count(page, "<rect class=\"" + std::string(kind) + '"'), 1U) << kind;
    }
    EXPECT_EQ(count(page, "class=\"transaction\""), 1U);
    EXPECT_EQ(count(page, "role=\"img\" aria-label=\""), 1U);
}

TEST_F(Page, SpeaksTheLanguageThatWasAskedFor) {
    const std::string english = html_of({result}, Language::english, "now", "1");
    const std::string korean = html_of({result}, Language::korean, "now", "1");
    EXPECT_NE(english.find("<html lang=\"en\">"), std::string::npos);
    EXPECT_NE(korean.find("<html lang=\"ko\">"), std::string::npos);
    for (const auto& [text, other] :
         {std::pair("Throughput", "처리량"), std::pair("NOT AS EXPECTED", "예상과 다름"),
          std::pair("round 1", "1회차"), std::pair(">guarded<", ">안전<"),
          std::pair("not on SQLite", "SQLite에는 없음")}) {
        EXPECT_NE(english.find(text), std::string::npos) << text;
        EXPECT_EQ(english.find(other), std::string::npos) << other;
        EXPECT_NE(korean.find(other), std::string::npos) << other;
        EXPECT_EQ(korean.find(text), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace passbook::lab
