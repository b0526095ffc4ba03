// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "lock/lock.h"
#include "tests/simulation/world.h"
#include "writer/lanes.h"

namespace passbook::simulation {

/// One server: its lanes and its locks.
struct Site {
    writer::Lanes& lanes;
    lock::Locks& locks;
};

inline constexpr int accounts = 3;
[[nodiscard]] AccountId account_id(int number);

/// Sends random commands, holds locks, and repeats under its key what it was not told the outcome
/// of. Runs on a thread of its own.
class Client {
public:
    Client(World& world, Site& site, int number) : world_(world), site_(site), number_(number) {}

    void play(int actions);
    /// Finds out what became of everything. For fair weather.
    void settle();

private:
    void act();
    void hold_a_lock();
    void await_loss(const lock::Guard& guard);
    void write(const Wish& wish);
    [[nodiscard]] bool send(const Wish& wish, std::optional<Nanos> patience);
    [[nodiscard]] Wish draw();
    [[nodiscard]] Wish wish_of(ledger::Action action, lab::checker::Op op, AccountId subject,
                               std::vector<ledger::Posting> legs, std::string target = {});
    void remember(const Wish& wish, const ledger::Record& record);
    [[nodiscard]] Chance& chance() {
        return world_.run().chance();
    }

    World& world_;
    Site& site_;
    const int number_;
    int keys_ = 0;
    std::vector<Wish> open_;     ///< Whose outcome is not known.
    std::vector<Wish> settled_;  ///< To be sent again.
    std::vector<EntryId> holds_;
    std::vector<ledger::Record> moved_;
};

}  // namespace passbook::simulation
