// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lock/lock.h"
#include "store/fences.h"
#include "writer/counters.h"

/// What stands before a lane's transactions where several servers write to one store: the locks of
/// its batch, so that servers take turns in front of the database instead of queueing on the same
/// rows inside it. It keeps no data right: a batch that goes without a lock is as safe.

namespace passbook::writer {

/// What the names of its locks begin with; /v1/locks gives none of these away.
inline constexpr std::string_view own_keys = "passbook.";

/// Every shard belongs to one of these, and a slot is what is locked.
inline constexpr std::size_t slot_count = 16;
using Slots = std::bitset<slot_count>;

[[nodiscard]] constexpr std::size_t slot_of(Shard shard) noexcept {
    return shard % slot_count;
}

/// What becomes of a batch whose slots cannot be had: the lock service does not answer, or whoever
/// holds them does not let go.
enum class LockPolicy {
    bypass,  ///< It is written without them, and carries no fence.
    refuse,  ///< It is answered `unavailable` or `busy`; nothing was written.
};

struct GateTimes {
    /// For the slots, until the policy decides. Longer than the TTL of the locks, so that those of
    /// a server that died come in time.
    lock::Millis wait{5'000};
    /// While somebody waits for its slots a lane keeps them for so long; it looks as often.
    lock::Millis turn{50};
    lock::Millis idle{200};  ///< Slots without work are let go.
    lock::Millis retry{
        2'000};  ///< So long the policy decides before the slots are asked for again.
};

/// Where a server has no lock in front of its writes, `locks` is null. They must mint fences.
struct GateSettings {
    lock::Locks* locks = nullptr;
    LockPolicy policy = LockPolicy::bypass;
    GateTimes times = {};
};

/// How the gate's own locks are held: short, for the slots of a server that died are free only when
/// their TTL has passed.
[[nodiscard]] lock::Settings gate_lock_settings();

/// Whether the lock service answers by now. Asks it; any thread.
[[nodiscard]] bool gate_answers(lock::Locks& locks);

/// Of one lane, and used by its thread alone. It asks the lock service between transactions, never
/// while one is open.
///
/// Slots are kept from batch to batch: a lane that has work asks nobody before each of its batches.
/// Whoever finds a slot held stands in line for it by a second lock, `….next`, which the holder
/// looks at once in a turn, and which is also what keeps the order: a lane that has let go for
/// somebody stands in line behind him. All slots of a batch are taken together or not at all, so
/// that no two wait for each other.
class Gate {
public:
    Gate(const GateSettings& settings, Counters& counters);

    /// Holds the slots, waiting for them; returns the fences for the transaction to carry, none
    /// where the policy lets it go without. Throws Failure `busy` or `unavailable` where it does
    /// not: then nothing was done.
    [[nodiscard]] store::Fences enter(const Slots& slots);

    /// The transaction found that a fence has moved: what was held was somebody else's already.
    void turn_away();

    /// Whether something is held that `rest` must see to.
    [[nodiscard]] bool holds() const noexcept {
        return guard_.has_value();
    }
    /// To be called once in a turn while there is no work.
    void rest();
    [[nodiscard]] lock::Millis turn() const noexcept {
        return settings_.times.turn;
    }

private:
    [[nodiscard]] bool is_turn_over();
    [[nodiscard]] lock::Answer<lock::Guard> acquire(const std::vector<std::string>& keys);
    [[nodiscard]] std::optional<bool> is_waited_for(const std::vector<std::string>& keys) const;
    [[nodiscard]] store::Fences take(const Slots& slots);
    [[nodiscard]] store::Fences decide(FailureKind kind, std::string_view why);
    [[nodiscard]] store::Fences go_without();

    const GateSettings settings_;
    Counters& counters_;
    std::optional<lock::Guard> guard_;
    Slots held_;
    lock::Steady::time_point look_at_;
    lock::Steady::time_point used_at_;
    /// Until when the policy decides, and why it does.
    lock::Steady::time_point ask_at_;
    std::optional<FailureKind> without_;
};

}  // namespace passbook::writer
