// SPDX-License-Identifier: Apache-2.0
#include "lab/report_text.h"

#include <gtest/gtest.h>
#include <sstream>

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
            .rounds = {Round{.accepted = 2, .entries_sum = -1'000, .failure = "both accepted"}},
            .happenings = {{microseconds(500), 1, Moment::read, "sums entries: 5000"},
                           {microseconds(900), 0, Moment::entered, "entry -3000"}},
            .lanes = {"A", "B"}};
}

TEST(ReportText, TheTimeAxisHasALanePerActorAndBeginsAtItsFirstMoment) {
    const Way way;
    EXPECT_EQ(time_axis(two_lanes(way)),
              "       ms  A                               B\n"
              "     0.00                                  sums entries: 5000\n"
              "     0.40  entry -3000\n");
}

TEST(ReportText, ALongRoundIsCutAndSaysSo) {
    const Way way;
    WayResult result = two_lanes(way);
    for (int n = 0; n < 30; ++n) {
        result.happenings.push_back(result.happenings.back());
    }
    EXPECT_NE(time_axis(result).find("… and 8 more in 2 lanes\n"), std::string::npos);
}

TEST(ReportText, FitsOneHundredColumnsAndTellsTheVerdict) {
    const std::string words = "word wordy wordiest words that go on ";
    const Experiment experiment{
        .id = "X1",
        .question = "Does it?",
        .setting = words + words + words + words,
        .expectation = words + words + words,
        .ways = {{.name = "check_then_insert", .promise = Promise::unsafe}}};
    ExperimentResult result{&experiment, {two_lanes(experiment.ways[0])}, ""};
    std::istringstream lines(text_of(result));
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100U) << line;
    }
    EXPECT_NE(text_of(result).find("1 of 1         2   -1,000"), std::string::npos)
        << text_of(result);
    EXPECT_NE(text_of(result).find("\n  As expected.\n"), std::string::npos);
    result.ways[0].rounds[0].surprise = "three accepted";
    EXPECT_NE(text_of(result).find("NOT AS EXPECTED: check_then_insert: three accepted on SQLite"),
              std::string::npos);
}

TEST(ReportText, SumsUpPerDatabaseWhatFailedAndWhatHeld) {
    const Way unsafe{.promise = Promise::unsafe};
    const Way guarded{.promise = Promise::guarded};
    const Round good;
    const Round bad{.failure = "lost"};
    const ExperimentResult result{
        .ways = {{.way = &unsafe, .rounds = {good, bad}},
                 {.way = &unsafe, .rounds = {good, good}},
                 {.way = &guarded, .rounds = {good}},
                 {.way = &guarded, .kind = Kind::postgres, .rounds = {good, bad}},
                 {.way = &guarded, .kind = Kind::mariadb, .absent = "not there"}}};
    EXPECT_EQ(summary_of({result, result}),
              "SQLite     2 of 4 unsafe ways were seen to fail, 2 of 2 guarded ways held; 10 "
              "rounds.\n"
              "PostgreSQL 0 of 0 unsafe ways were seen to fail, 0 of 2 guarded ways held; 4 "
              "rounds.\n");
}

TEST(ReportText, AnExperimentWhoseWaysAreAllAbsentWasNotPlayed) {
    const Experiment experiment{.id = "X1", .ways = {{.name = "on_standby"}}};
    const ExperimentResult result{&experiment,
                                  {{.way = &experiment.ways[0], .absent = "name a standby"}}};
    EXPECT_NE(text_of(result).find("not on SQLite: name a standby\n\n  Not played.\n"),
              std::string::npos)
        << text_of(result);
}

}  // namespace
}  // namespace passbook::lab
