// SPDX-License-Identifier: Apache-2.0
#include "lab/report_text.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <sstream>

#include "lab/columns.h"
#include "lab/figures.h"
#include "lab/labels.h"

namespace passbook::lab {
namespace {

TEST(ReportText, GroupsDigits) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(-100), "-100");
    EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
}

WayResult two_lanes(const Way& way) {
    using std::chrono::microseconds;
    return {.way = &way,
            .rounds = {Round{
                .accepted = 2, .entries_sum = -1'000, .failure = {"both accepted", "둘 다 승인"}}},
            .happenings =
                {{microseconds(500), 1, Moment::read, {"sums entries: 5000", "항목 합계: 5000"}},
                 {microseconds(900), 0, Moment::entered, {"entry -3000", "항목 -3000"}}},
            .lanes = {verbatim("A"), verbatim("B")}};
}

TEST(ReportText, TheTimeAxisHasALanePerActorAndBeginsAtItsFirstMoment) {
    const Way way;
    EXPECT_EQ(time_axis(two_lanes(way), Language::english),
              "       ms  A                               B\n"
              "     0.00                                  sums entries: 5000\n"
              "     0.40  entry -3000\n");
    EXPECT_EQ(time_axis(two_lanes(way), Language::korean),
              "       ms  A                               B\n"
              "     0.00                                  항목 합계: 5000\n"
              "     0.40  항목 -3000\n");
}

TEST(ReportText, ALongRoundIsCutAndSaysSo) {
    const Way way;
    WayResult result = two_lanes(way);
    for (int n = 0; n < 30; ++n) {
        result.happenings.push_back(result.happenings.back());
    }
    EXPECT_NE(time_axis(result, Language::english).find("… and 8 more in 2 lanes\n"),
              std::string::npos);
    EXPECT_NE(time_axis(result, Language::korean).find("… 레인 2개에 8건 더\n"), std::string::npos);
}

/// An experiment whose texts are long in both languages.
Experiment wordy() {
    const std::string words = "word wordy wordiest words that go on ";
    const std::string korean = "말 긴말 아주긴말 끝없이 이어지는 말 ";
    return {.id = "X1",
            .question = {"Does it?", "그럴까?"},
            .setting = {words + words + words + words, korean + korean + korean + korean},
            .expectation = {words + words + words, korean + korean + korean},
            .ways = {{.name = "check_then_insert", .promise = Promise::unsafe}}};
}

TEST(ReportText, FitsOneHundredColumnsInEachLanguage) {
    const Experiment experiment = wordy();
    const ExperimentResult result{&experiment, {two_lanes(experiment.ways[0])}};
    for (const Language language : languages) {
        std::istringstream lines(text_of(result, language));
        std::size_t widest = 0;
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(columns_of(line), 100U) << line;
            widest = std::max(widest, columns_of(line));
        }
        EXPECT_GT(widest, 85U);
    }
}

TEST(ReportText, NumbersStandBelowTheEndOfTheirHeadingInEachLanguage) {
    const Experiment experiment = wordy();
    const ExperimentResult result{&experiment, {two_lanes(experiment.ways[0])}};
    const auto line_of = [](const std::string& text, const std::string& part) {
        const std::size_t begin = text.rfind('\n', text.find(part)) + 1;
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    for (const Language language : languages) {
        const std::string text = text_of(result, language);
        const std::string accepted(labels::accepted.in(language));
        const std::string heading = line_of(text, accepted);
        const std::string row = line_of(text.substr(text.find(heading) + heading.size()), "1,000");
        const std::size_t sum = row.find("-1,000");
        EXPECT_EQ(columns_of(heading.substr(0, heading.find(accepted) + accepted.size())),
                  columns_of(row.substr(0, row.find_last_not_of(' ', sum - 1) + 1)))
            << text;
        EXPECT_EQ(columns_of(heading), columns_of(row)) << text;
    }
}

TEST(ReportText, TellsTheVerdict) {
    const Experiment experiment = wordy();
    ExperimentResult result{&experiment, {two_lanes(experiment.ways[0])}};
    EXPECT_NE(text_of(result, Language::english).find("\n  As expected.\n"), std::string::npos);
    EXPECT_NE(text_of(result, Language::korean).find("\n  예상대로다.\n"), std::string::npos);
    result.ways[0].rounds[0].surprise = {"three accepted", "3건 승인"};
    EXPECT_NE(text_of(result, Language::english)
                  .find("NOT AS EXPECTED: check_then_insert: three accepted on SQLite"),
              std::string::npos);
    EXPECT_NE(
        text_of(result, Language::korean).find("예상과 다름: check_then_insert: 3건 승인 (SQLite)"),
        std::string::npos);
}

TEST(ReportText, SumsUpPerDatabaseWhatFailedAndWhatHeld) {
    const Way unsafe{.promise = Promise::unsafe};
    const Way guarded{.promise = Promise::guarded};
    const Round good;
    const Round bad{.failure = {"lost", "잃음"}};
    const ExperimentResult result{
        .ways = {{.way = &unsafe, .rounds = {good, bad}},
                 {.way = &unsafe, .rounds = {good, good}},
                 {.way = &guarded, .rounds = {good}},
                 {.way = &guarded, .kind = Kind::postgres, .rounds = {good, bad}},
                 {.way = &guarded, .kind = Kind::mariadb, .absent = verbatim("not there")}}};
    EXPECT_EQ(summary_of({result, result}, Language::english),
              "SQLite     2 of 4 unsafe ways were seen to fail, 2 of 2 guarded ways held; 10 "
              "rounds.\n"
              "PostgreSQL 0 of 0 unsafe ways were seen to fail, 0 of 2 guarded ways held; 4 "
              "rounds.\n");
    EXPECT_NE(summary_of({result, result}, Language::korean)
                  .find("위험한 방식 4개 중 2개가 실패를 보였고, 안전한 방식 2개 중 2개가"),
              std::string::npos);
}

TEST(ReportText, AnExperimentWhoseWaysAreAllAbsentWasNotPlayed) {
    const Experiment experiment{.id = "X1", .ways = {{.name = "on_standby"}}};
    const ExperimentResult result{
        &experiment, {{.way = &experiment.ways[0], .absent = verbatim("name a standby")}}};
    EXPECT_NE(
        text_of(result, Language::english).find("not on SQLite: name a standby\n\n  Not played.\n"),
        std::string::npos)
        << text_of(result, Language::english);
}

}  // namespace
}  // namespace passbook::lab
