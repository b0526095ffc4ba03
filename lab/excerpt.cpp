// SPDX-License-Identifier: Apache-2.0
#include "lab/excerpt.h"

#include <algorithm>

namespace passbook::lab {

std::size_t Excerpt::place_of(const Happening& row) const {
    return static_cast<std::size_t>(std::find(lanes.begin(), lanes.end(), row.lane) -
                                    lanes.begin());
}

double Excerpt::milliseconds(const Happening& row) const {
    return std::chrono::duration<double, std::milli>(row.at - rows.front().at).count();
}

Excerpt excerpt_of(const WayResult& way, std::size_t lanes_max, std::size_t rows_max) {
    Excerpt excerpt;
    std::vector<std::size_t>& lanes = excerpt.lanes;
    for (const Happening& happening : way.happenings) {
        bool known = std::find(lanes.begin(), lanes.end(), happening.lane) != lanes.end();
        if (!known && lanes.size() < lanes_max) {
            lanes.push_back(happening.lane);
            known = true;
        }
        if (known && excerpt.rows.size() < rows_max) {
            excerpt.rows.push_back(happening);
        }
    }
    std::sort(lanes.begin(), lanes.end());
    excerpt.left_out = way.happenings.size() - excerpt.rows.size();
    return excerpt;
}

std::vector<const WayResult*> telling_ways(const ExperimentResult& result, Kind kind) {
    const WayResult* failing = nullptr;
    const WayResult* holding = nullptr;
    for (const WayResult& way : result.ways) {
        if (way.kind != kind || way.happenings.empty()) {
            continue;
        }
        const WayResult*& place = way.failed() > 0 ? failing : holding;
        place = place == nullptr ? &way : place;
    }
    std::vector<const WayResult*> ways;
    for (const WayResult* way : {failing, holding}) {
        if (way != nullptr) {
            ways.push_back(way);
        }
    }
    return ways;
}

}  // namespace passbook::lab
