// SPDX-License-Identifier: Apache-2.0
#include "lab/run.h"

#include <gtest/gtest.h>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

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

/// Whether two places are ever in the way at once, where each of two waits for the other a while.
bool meets(bool is_measured) {
    std::atomic<int> inside = 0;
    std::atomic<bool> met = false;
    const Experiment experiment{
        .id = "X",
        .ways = {{.name = "way",
                  .promise = Promise::guarded,
                  .how = {},
                  .play =
                      [&](Stage&) {
                          ++inside;
                          const auto until = std::chrono::steady_clock::now() +
                                             std::chrono::milliseconds(is_measured ? 50 : 5'000);
                          while (!met && std::chrono::steady_clock::now() < until) {
                              met = met || inside == 2;
                              std::this_thread::yield();
                          }
                          --inside;
                          return Round{};
                      }}},
        .rounds = 1,
        .is_measured = is_measured};
    const auto result = run(experiment, {.places = {sqlite_place(""), sqlite_place("")}});
    EXPECT_EQ(result.ways.size(), 2U);
    return met;
}

TEST(Run, PlacesPlayAtTheSameTimeUnlessTheyAreMeasured) {
    EXPECT_TRUE(meets(false));
    EXPECT_FALSE(meets(true));
}

TEST(Run, WhereOnePlaceCannotGoOnTheOthersEndToo) {
    std::atomic<int> rounds = 0;
    std::atomic<int> first = 0;
    const Experiment experiment{
        .id = "X",
        .ways = {{.name = "way", .promise = Promise::unsafe, .how = {}, .play = [&](Stage&) {
                      if (++first == 1) {
                          throw std::runtime_error("no disk");
                      }
                      ++rounds;
                      std::this_thread::sleep_for(std::chrono::milliseconds(20));
                      return Round{};
                  }}}};
    try {
        (void)run(experiment, {.places = {sqlite_place(""), sqlite_place("")}});
        ADD_FAILURE() << "the error is lost";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "no disk");
    }
    EXPECT_LT(rounds, rounds_max);
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
