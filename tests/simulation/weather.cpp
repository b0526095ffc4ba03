// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/weather.h"

namespace passbook::simulation {

void Weather::change(Chance& chance) {
    if (healed_) {
        return;
    }
    const std::uint64_t kind = chance.below(4);
    times_ = kind == 0 ? 0 : kind == 3 ? 400 : 60;
}

bool Weather::strikes(std::string_view what) {
    Scheduler& run = *Scheduler::current();
    if (!run.chance().of_thousand(times_)) {
        return false;
    }
    count(what);
    run.note(what);
    return true;
}

void Weather::delay(Nanos most) {
    Scheduler& run = *Scheduler::current();
    const bool is_long = !healed_ && run.chance().of_thousand(times_ / 4);
    run.sleep(1 + run.chance().below(is_long ? most : millis));
}

}  // namespace passbook::simulation
