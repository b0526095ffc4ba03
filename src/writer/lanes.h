// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "store/store.h"
#include "writer/counters.h"
#include "writer/lane.h"
#include "writer/reply.h"

namespace passbook::writer {

/// All lanes of a server. A request goes to the lane that owns its subject's shard, so the requests
/// of one subject keep their order. Any thread may call.
class Lanes {
public:
    /// Opens `count` writers, at most as many as the store allows. `ended`: see Lane.
    Lanes(store::Store& store, std::size_t count, LaneLimits limits, Counters& counters,
          const std::function<void()>& ended, const GateSettings& gate = {});

    /// Every job is answered exactly once. Jobs of one lane are queued together or answered `busy`
    /// together, which changes nothing and burns no key.
    void submit(std::vector<Job> jobs);

    /// Answers what was accepted; what comes later is answered `unavailable`.
    void stop();

    [[nodiscard]] std::size_t depth() const;  ///< Jobs waiting in all lanes.

private:
    [[nodiscard]] std::size_t lane_of(Shard shard) const noexcept;

    Counters& counters_;
    const bool is_gated_;
    std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace passbook::writer
