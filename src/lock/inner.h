// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "lock/keeper.h"
#include "lock/line.h"
#include "lock/lock.h"

namespace passbook::lock {

/// Keys that were taken, before it is settled who looks after them.
struct Taken {
    Claim claim;
    std::vector<std::int64_t> fences;
    Steady::time_point started;  ///< When the request that took them was sent.
};

/// What Locks and its guards share.
struct Inner {
    Inner(std::unique_ptr<Service> of, const Settings& with, Mint minted_by,
          std::shared_ptr<Counters> counted_in)
        : settings(with),
          mint(std::move(minted_by)),
          shared_counters(std::move(counted_in)),
          counters(*shared_counters),
          service(std::move(of)),
          keeper(*service, settings, counters) {}

    /// Takes the keys, waiting in line; counts and logs what comes of it.
    [[nodiscard]] Answer<Taken> take(Claim claim, Millis wait, const std::stop_token& cancel);

    /// One request; counted, logged with the fences where they are known, and cleaned up after.
    Released release(const Claim& claim, const std::vector<std::int64_t>& fences = {}) noexcept;

    const Settings settings;
    const Mint mint;
    const std::shared_ptr<Counters> shared_counters;
    Counters& counters;
    std::stop_source stopping;
    Line line;
    // Behind the line, which it gives hints to, and before the keeper, which asks it.
    const std::unique_ptr<Service> service;
    Keeper keeper;

private:
    Answer<Taken> take_in_line(const Claim& claim, Steady::time_point until,
                               const std::stop_token& stop);
    Answer<Taken> settle(const Claim& claim, Taking taking, Steady::time_point started);
    Answer<Taken> give_up(const Claim& claim, std::string why);
};

}  // namespace passbook::lock
