// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/experiment.h"

/// Plays experiments and holds what happened against what is foretold.

namespace passbook::lab {

/// What the rounds of one way on one database came to.
struct WayResult {
    const Way* way = nullptr;
    Kind kind = Kind::sqlite;
    std::optional<Text> absent;  ///< Why it does not exist there; then there are no rounds.
    std::vector<Round> rounds;
    std::vector<Happening> happenings;  ///< Of the round that `telling` names.
    std::vector<Text> lanes;
    std::size_t telling = 0;  ///< The round to show: the first that failed, else the first.

    [[nodiscard]] std::size_t failed() const;
    /// Nothing where the way did what is foretold of it; else, in one sentence, what it did.
    [[nodiscard]] std::optional<Text> missed() const;
};

struct ExperimentResult {
    const Experiment* experiment = nullptr;
    std::vector<WayResult> ways;
    Text locks = {};  ///< Where their keys were kept, where the experiment has locks.

    /// One sentence for each expectation that was not met; empty where all were.
    [[nodiscard]] std::vector<Text> missed() const;
};

struct RunOptions {
    /// Where each experiment is played: at the same time, unless it measures.
    std::vector<std::shared_ptr<Place>> places;
    /// A Redis server with a prefix for the keys of this run; none where empty.
    std::string redis = {};
    /// Called before each round with how many rounds are surely done and in all; by several
    /// threads, one at a time.
    std::function<void(std::size_t done, std::size_t total)> progress = [](std::size_t,
                                                                           std::size_t) {
    };
    /// Asked before each round, as above; true stops the run by throwing Stopped.
    std::function<bool()> stop = [] {
        return false;
    };
};

/// The run was stopped from outside.
class Stopped : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws std::runtime_error or Failure where the experiment could not be played, Stopped.
[[nodiscard]] ExperimentResult run(const Experiment& experiment, const RunOptions& options);

}  // namespace passbook::lab
