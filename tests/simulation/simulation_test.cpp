// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace passbook::simulation {
namespace {

/// TEST_SEED plays that one alone, with its trace.
std::optional<std::uint64_t> only_seed() {
    const char* text = std::getenv("TEST_SEED");
    return text == nullptr ? std::nullopt : std::optional(std::strtoull(text, nullptr, 10));
}

/// What must have been met, or the runs are no evidence.
constexpr std::array needed{
    "answer: busy",
    "answer: first",
    "answer: hold_not_open",
    "answer: idempotency_key_reused",
    "answer: in_doubt",
    "answer: insufficient_balance",
    "answer: reversal_too_large",
    "answer: already_reversed",
    "answer: replayed",
    "answer: unavailable",
    "begin: conflict",
    "begin: unavailable",
    "client: waited no longer",
    "clock: set",
    "commit: conflict",
    "commit: in doubt, done",
    "commit: in doubt, not done",
    "commit: unavailable",
    "confirm: unavailable",
    "lock lost: expired",
    "lock lost: stolen",
    "lock lost: unreachable",
    "lock: acquired",
    "lock: all keys forgotten",
    "lock: answer lost",
    "lock: busy",
    "lock: late write refused",
    "lock: no fence",
    "lock: request lost",
    "lock: timeout",
    "lock: unavailable",
    "server: stands still",
    "stored: commit",
    "stored: expire",
    "stored: reverse",
    "stored: void",
};

class Simulation : public testing::Test {
protected:
    Simulation() {
        spdlog::set_level(spdlog::level::off);
    }

    void play(std::uint64_t seed, Mode mode) {
        const Outcome outcome = simulate(seed, mode);
        EXPECT_TRUE(outcome.wrongs.empty())
            << "TEST_SEED=" << seed << (mode == Mode::safety ? " safety" : " liveness") << ": "
            << fmt::format("{}", fmt::join(outcome.wrongs, "\n"))
            << (only_seed() ? "\n" + outcome.trace : "");
        for (const auto& [what, count] : outcome.met) {
            met_[what] += count;
        }
    }

    void play_all(std::uint64_t first, std::uint64_t last, Mode mode) {
        if (const auto seed = only_seed()) {
            return play(*seed, mode);
        }
        for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
            play(seed, mode);
        }
        for (std::size_t i = 0; i < needed.size() && !HasFailure(); ++i) {
            const std::string what = needed[i];
            EXPECT_GT(met_[what], 0) << what << " was never met";
        }
    }

private:
    std::map<std::string, int> met_;
};

TEST_F(Simulation, InAnyWeatherNothingWrongComesOfIt) {
    play_all(1, 500, Mode::safety);
}

TEST_F(Simulation, InFairWeatherEverythingComesToItsEnd) {
    play_all(501, 1'000, Mode::liveness);
}

TEST_F(Simulation, ASeedIsOneRunToTheLastSwitch) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Outcome first = simulate(seed, Mode::liveness);
        const Outcome again = simulate(seed, Mode::liveness);
        EXPECT_TRUE(first.trace == again.trace) << "seed " << seed;
        EXPECT_FALSE(first.trace == simulate(seed + 100, Mode::liveness).trace);
    }
}

}  // namespace
}  // namespace passbook::simulation
