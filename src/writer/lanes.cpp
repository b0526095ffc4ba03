// SPDX-License-Identifier: Apache-2.0
#include "writer/lanes.h"

#include <algorithm>

#include "writer/planted_writer.h"

namespace passbook::writer {

Lanes::Lanes(store::Store& store, std::size_t count, LaneLimits limits, Counters& counters,
             const std::function<void()>& ended, const GateSettings& gate)
    : counters_(counters), is_gated_(gate.locks != nullptr) {
    // Where others may write too, the database knows what became of a commit, and it goes on.
    const InDoubt in_doubt = store.shared() ? InDoubt::settle : InDoubt::end;
    const Keys keys = store.guards_keys() ? Keys::guarded : Keys::looked_up;
    const std::size_t lanes = std::clamp<std::size_t>(count, 1, store.writers_max());
    for (std::size_t i = 0; i < lanes; ++i) {
        lanes_.push_back(std::make_unique<Lane>(with_planted_bug(store.writer()), limits, in_doubt,
                                                keys, counters, ended, gate));
    }
}

void Lanes::submit(std::vector<Job> jobs) {
    std::vector<std::vector<Job>> by_lane(lanes_.size());
    for (Job& job : jobs) {
        by_lane[lane_of(job.request.shard)].push_back(std::move(job));
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        if (by_lane[i].empty() || lanes_[i]->submit(by_lane[i])) {
            continue;
        }
        for (Job& job : by_lane[i]) {
            const Reply busy = FailureKind::busy;
            counters_.count(job.request.command.action, busy);
            job.done(busy);
        }
    }
}

/// Behind a gate all shards of a slot belong to one lane: two of them would lock each other out.
std::size_t Lanes::lane_of(Shard shard) const noexcept {
    return (is_gated_ ? slot_of(shard) : shard) % lanes_.size();
}

void Lanes::stop() {
    for (const auto& lane : lanes_) {
        lane->stop();
    }
}

std::size_t Lanes::depth() const {
    std::size_t sum = 0;
    for (const auto& lane : lanes_) {
        sum += lane->depth();
    }
    return sum;
}

}  // namespace passbook::writer
