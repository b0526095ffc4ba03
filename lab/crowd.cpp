// SPDX-License-Identifier: Apache-2.0
#include "lab/crowd.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "lab/plain_tables.h"

namespace passbook::lab {

std::int64_t Crowd::sum(std::string_view name) const {
    std::int64_t sum = 0;
    for (const Words& report : reports) {
        sum += number(report, name);
    }
    return sum;
}

Crowd crowd(Stage& stage, std::string_view experiment, std::string_view role, std::size_t count,
            const Words& words) {
    std::vector<std::unique_ptr<Process>> all;
    for (std::size_t n = 0; n < count; ++n) {
        Words own = words;
        own.emplace("worker", fmt::format("{}", n));
        all.push_back(std::make_unique<Process>(stage, experiment, role, actor_name(n), own));
    }
    for (const auto& each : all) {
        each->await("ready");
    }
    Crowd crowd;
    const auto begun = stage.timeline().elapsed();
    for (const auto& each : all) {
        each->go();
    }
    for (const auto& each : all) {
        each->await("done");
    }
    crowd.time = stage.timeline().elapsed() - begun;
    for (const auto& each : all) {
        each->go();
        crowd.reports.push_back(each->finish());
    }
    return crowd;
}

std::int64_t per_second(std::int64_t count, std::chrono::nanoseconds time) {
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    return count * 1'000'000 / std::max<std::int64_t>(micros, 1);
}

}  // namespace passbook::lab
