// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/checker/history.h"
#include "ledger/request.h"
#include "lock/lock.h"
#include "store/store.h"
#include "tests/simulation/faulty_service.h"
#include "tests/simulation/weather.h"
#include "writer/reply.h"

namespace passbook::simulation {

/// A request with what the checker wants to know of it.
struct Wish {
    ledger::Request request;
    lab::checker::Op op;
    AccountId subject;
    std::vector<ledger::Posting> legs;  ///< As asked; of a hold, the amount to be held.
    std::string target;                 ///< The hold or transaction acted on.
};

/// What everybody in a run shares: what was asked and answered, who holds which key, and what was
/// seen that should not be. Used by one thread at a time, as all is.
class World {
public:
    World(Scheduler& run, store::Store& store, Keys& keys, Weather& weather)
        : run_(run), store_(store), keys_(keys), weather_(weather) {}

    [[nodiscard]] Scheduler& run() noexcept {
        return run_;
    }
    [[nodiscard]] Weather& weather() noexcept {
        return weather_;
    }
    [[nodiscard]] Keys& keys() noexcept {
        return keys_;
    }

    void wrong(std::string what);
    [[nodiscard]] const std::vector<std::string>& wrongs() const noexcept {
        return wrongs_;
    }

    // The history. Each sending has a number.

    [[nodiscard]] std::uint32_t sent(const Wish& wish);
    void replied(std::uint32_t call);  ///< On the lane's thread, whoever still waits.
    void answered(std::uint32_t call, const writer::Reply& reply);
    /// The client waits no longer; what is answered later, nobody hears.
    void gave_up(std::uint32_t call);
    void read(const AccountId& account);
    void dump();
    /// Holds the history against every rule.
    void judge(bool all_must_be_known);

    // Who holds what. A guard is known from its acquisition to its end.

    /// `forgot`: how often the keys had been forgotten before it was asked for.
    void holds(const lock::Guard& guard, int forgot);
    /// That the holder may still act, and that it is alone; with a write under its fence.
    void acts(const lock::Guard& guard);
    void lets_go(const lock::Guard& guard);

private:
    struct Holder {
        const lock::Guard* guard;
        int forgot;
    };

    void take_legs(lab::checker::Call& call, const Wish& wish);
    void tell(std::uint32_t call, const ledger::Answer& answer);

    Scheduler& run_;
    store::Store& store_;
    Keys& keys_;
    Weather& weather_;
    std::vector<std::string> wrongs_;
    lab::checker::History history_;
    std::vector<int> answers_;                ///< By call.
    std::map<std::string, bool> maybe_done_;  ///< By key: not all answers said that nothing was.
    std::vector<Holder> holders_;
    std::map<std::string, std::int64_t> written_;  ///< By key: the fence of the last write.
};

}  // namespace passbook::simulation
