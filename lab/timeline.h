// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

#include "lab/text.h"

/// What happened in one round of a way, moment by moment, with a lane for each who acted.

namespace passbook::lab {

/// A moment is decisive where the outcome turns on it. Where a round is long, only those are shown.
enum class Moment : std::uint8_t {
    asked,      ///< What is wished: account, key, amount.
    read,       ///< What was read, to decide on it.
    began,      ///< A transaction.
    waited,     ///< For another session.
    moved,      ///< A balance.
    entered,    ///< An entry was written.
    committed,  ///< A transaction ended, and stays.
    undone,     ///< A transaction ended without a trace.
    accepted,
    refused,
    noted,
};

struct Happening {
    std::chrono::nanoseconds at{0};  ///< Since the round began.
    std::size_t lane = 0;
    Moment moment = Moment::noted;
    Text text;
};

class Timeline {
public:
    /// Written by one thread; others write to lanes of their own.
    class Lane {
    public:
        void note(Moment moment, Text text);
        /// By the clock that all processes of a machine share.
        void note(std::chrono::steady_clock::time_point at, Moment moment, Text text);

    private:
        friend class Timeline;
        Lane(const Timeline& timeline, std::size_t number, Text name)
            : timeline_(&timeline), number_(number), name_(std::move(name)) {}

        const Timeline* timeline_;
        std::size_t number_;
        Text name_;
        std::vector<Happening> happenings_;
    };

    Timeline() = default;
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    /// Not while lanes are written. The lane lives as long as the timeline.
    Lane& lane(Text name);

    /// Not while lanes are written. In order of time.
    [[nodiscard]] std::vector<Happening> happenings() const;
    [[nodiscard]] std::vector<Text> lanes() const;
    [[nodiscard]] std::chrono::nanoseconds elapsed() const;

private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::deque<Lane> lanes_;
};

}  // namespace passbook::lab
