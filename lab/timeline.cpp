// SPDX-License-Identifier: Apache-2.0
#include "lab/timeline.h"

#include <algorithm>
#include <utility>

namespace passbook::lab {

void Timeline::Lane::note(Moment moment, Text text) {
    happenings_.push_back({timeline_->elapsed(), number_, moment, std::move(text)});
}

void Timeline::Lane::note(std::chrono::steady_clock::time_point at, Moment moment, Text text) {
    happenings_.push_back({at - timeline_->begun_, number_, moment, std::move(text)});
}

Timeline::Lane& Timeline::lane(Text name) {
    lanes_.push_back(Lane(*this, lanes_.size(), std::move(name)));
    return lanes_.back();
}

std::vector<Happening> Timeline::happenings() const {
    std::vector<Happening> all;
    for (const Lane& lane : lanes_) {
        all.insert(all.end(), lane.happenings_.begin(), lane.happenings_.end());
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Happening& a, const Happening& b) { return a.at < b.at; });
    return all;
}

std::vector<Text> Timeline::lanes() const {
    std::vector<Text> names;
    for (const Lane& lane : lanes_) {
        names.push_back(lane.name_);
    }
    return names;
}

std::chrono::nanoseconds Timeline::elapsed() const {
    return std::chrono::steady_clock::now() - begun_;
}

}  // namespace passbook::lab
