// SPDX-License-Identifier: Apache-2.0
#include "lab/tally.h"

namespace passbook::lab {
namespace {

void add(Tally& tally, const WayResult& way) {
    const std::size_t kept = way.missed() ? 0 : 1;
    switch (way.way->promise) {
        case Promise::unsafe:
            ++tally.unsafe;
            tally.failed += kept;
            break;
        case Promise::guarded:
            ++tally.guarded;
            tally.held += kept;
            break;
        case Promise::shown:
            break;
    }
    tally.rounds += way.rounds.size();
}

}  // namespace

std::vector<Tally> tallies_of(const std::vector<ExperimentResult>& results) {
    std::vector<Tally> all;
    for (const Kind kind : {Kind::sqlite, Kind::postgres, Kind::mariadb}) {
        Tally tally{.kind = kind};
        for (const ExperimentResult& result : results) {
            for (const WayResult& way : result.ways) {
                if (way.kind == kind && !way.rounds.empty()) {
                    add(tally, way);
                }
            }
        }
        if (tally.rounds > 0) {
            all.push_back(tally);
        }
    }
    return all;
}

}  // namespace passbook::lab
