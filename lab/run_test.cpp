// SPDX-License-Identifier: Apache-2.0
#include "lab/run.h"

#include <gtest/gtest.h>
#include <filesystem>

#include "lab/report_json.h"
#include "lab/report_text.h"

namespace passbook::lab {
namespace {

const Text lost{"lost", "잃음"};

/// A way that fails in the rounds named.
Way way_failing_in(Promise promise, std::vector<int> rounds) {
    return {.name = "way", .promise = promise, .how = {}, .play = [rounds, n = 0](Stage&) mutable {
                ++n;
                Round round;
                if (std::find(rounds.begin(), rounds.end(), n) != rounds.end()) {
                    round.failure = lost;
                }
                return round;
            }};
}

ExperimentResult played(const Experiment& experiment) {
    return run(experiment, {.places = {sqlite_place("")}});
}

TEST(Run, AnUnsafeWayGoesOnUntilItIsSeenToFail) {
    const Experiment experiment{.id = "X", .ways = {way_failing_in(Promise::unsafe, {7})}};
    const auto result = played(experiment);
    EXPECT_EQ(result.ways[0].rounds.size(), 7U);
    EXPECT_EQ(result.ways[0].failed(), 1U);
    EXPECT_EQ(result.ways[0].telling, 6U);
    EXPECT_TRUE(result.missed().empty());
}

TEST(Run, AnUnsafeWayThatNeverFailsIsAMissedExpectation) {
    const Experiment experiment{.id = "X", .ways = {way_failing_in(Promise::unsafe, {})}};
    const auto result = played(experiment);
    EXPECT_EQ(result.ways[0].rounds.size(), 20U);
    EXPECT_EQ(result.missed(),
              std::vector<Text>({{"way was not seen to fail in 20 rounds on SQLite",
                                  "way: 20회차 안에 실패가 나타나지 않음 (SQLite)"}}));
}

TEST(Run, AGuardedWayMustHoldInEveryRound) {
    const Experiment experiment{.id = "X", .ways = {way_failing_in(Promise::guarded, {3})}};
    const auto result = played(experiment);
    EXPECT_EQ(result.ways[0].rounds.size(), 5U);
    EXPECT_EQ(result.missed(), std::vector<Text>({{"way did not hold: lost on SQLite",
                                                   "way: 지켜지지 않음: 잃음 (SQLite)"}}));
}

TEST(Run, ASurpriseEndsTheWayWhateverItsPromise) {
    for (const Promise promise : {Promise::unsafe, Promise::guarded, Promise::shown}) {
        const Experiment experiment{
            .id = "X", .ways = {{.name = "way", .promise = promise, .how = {}, .play = [](Stage&) {
                                     return Round{.failure = lost,
                                                  .surprise = {"a third thing", "다른 일"}};
                                 }}}};
        const auto result = played(experiment);
        EXPECT_EQ(result.ways[0].rounds.size(), 1U);
        EXPECT_EQ(result.missed(),
                  std::vector<Text>({{"way: a third thing on SQLite", "way: 다른 일 (SQLite)"}}));
    }
}

TEST(Run, AWayThatDoesNotExistThereIsNotPlayedAndSaysWhy) {
    const Experiment experiment{
        .id = "X",
        .ways = {{.name = "advisory",
                  .promise = Promise::guarded,
                  .how = {},
                  .play = nullptr,
                  .absences = {{Kind::sqlite, {"no such locks", "그런 락이 없다"}}}}}};
    const auto result = played(experiment);
    EXPECT_TRUE(result.missed().empty());
    EXPECT_NE(text_of(result, Language::english).find("not on SQLite: no such locks"),
              std::string::npos);
    EXPECT_NE(json_of(std::vector{result}).find(R"("absent":"no such locks")"), std::string::npos);
}

TEST(Run, WaysAreHeldAgainstEachOther) {
    const Experiment experiment{
        .id = "X",
        .ways = {way_failing_in(Promise::shown, {}), way_failing_in(Promise::shown, {})},
        .compare = [](const std::vector<Round>& rounds) {
            return rounds.size() == 2 ? Text("slower than foretold", "예상보다 느림") : Text();
        }};
    EXPECT_EQ(played(experiment).missed(),
              std::vector<Text>({{"slower than foretold on SQLite", "예상보다 느림 (SQLite)"}}));
}

TEST(Run, StopsBetweenRoundsAndLeavesNothingBehind) {
    const auto parent = std::filesystem::temp_directory_path() / "lab-run-test";
    std::filesystem::create_directories(parent);
    int rounds = 0;
    const Experiment experiment{
        .id = "X",
        .ways = {{.name = "way", .promise = Promise::guarded, .how = {}, .play = [&](Stage& stage) {
                      (void)stage.database().connect();
                      ++rounds;
                      return Round{};
                  }}}};
    RunOptions options;
    options.places = {sqlite_place(parent.string())};
    options.stop = [&] {
        return rounds == 2;
    };
    EXPECT_THROW((void)run(experiment, options), Stopped);
    EXPECT_EQ(rounds, 2);
    EXPECT_TRUE(std::filesystem::is_empty(parent));
    std::filesystem::remove(parent);
}

TEST(Run, ARoundThatThrowsLeavesNothingBehind) {
    const auto parent = std::filesystem::temp_directory_path() / "lab-throw-test";
    std::filesystem::create_directories(parent);
    const Experiment experiment{.id = "X",
                                .ways = {{.name = "way",
                                          .promise = Promise::guarded,
                                          .how = {},
                                          .play = [](Stage& stage) -> Round {
                                              (void)stage.database().connect();
                                              throw std::runtime_error("no disk");
                                          }}}};
    RunOptions options;
    options.places = {sqlite_place(parent.string())};
    EXPECT_THROW((void)run(experiment, options), std::runtime_error);
    EXPECT_TRUE(std::filesystem::is_empty(parent));
    std::filesystem::remove(parent);
}

}  // namespace
}  // namespace passbook::lab
