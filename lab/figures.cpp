// SPDX-License-Identifier: Apache-2.0
#include "lab/figures.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace passbook::lab {

std::vector<Kind> kinds_of(const ExperimentResult& result) {
    std::vector<Kind> kinds;
    for (const WayResult& way : result.ways) {
        if (std::find(kinds.begin(), kinds.end(), way.kind) == kinds.end()) {
            kinds.push_back(way.kind);
        }
    }
    return kinds;
}

bool was_played(const ExperimentResult& result) {
    return std::any_of(result.ways.begin(), result.ways.end(),
                       [](const WayResult& way) { return !way.rounds.empty(); });
}

const Round& told(const WayResult& way) {
    return way.rounds.at(way.telling);
}

std::optional<std::int64_t> difference(const Round& round) {
    return round.balance && round.entries_sum ? std::optional(*round.balance - *round.entries_sum)
                                              : std::nullopt;
}

std::optional<std::int64_t> figure(const Round& round, const Text& name) {
    const auto found = std::find_if(round.figures.begin(), round.figures.end(),
                                    [&](const Round::Figure& f) { return f.name == name; });
    return found == round.figures.end() ? std::nullopt : std::optional(found->value);
}

std::vector<Text> figure_names(const std::vector<const WayResult*>& ways) {
    std::vector<Text> names;
    for (const WayResult* way : ways) {
        for (const Round::Figure& each : told(*way).figures) {
            if (std::find(names.begin(), names.end(), each.name) == names.end()) {
                names.push_back(each.name);
            }
        }
    }
    return names;
}

std::vector<std::string> by_round(const WayResult& way, const Text& name) {
    std::vector<std::string> values;
    for (const Round& round : way.rounds) {
        values.push_back(shown(figure(round, name)));
    }
    const bool is_same = std::all_of(values.begin(), values.end(),
                                     [&](const auto& value) { return value == values.front(); });
    return is_same ? std::vector<std::string>{} : values;
}

std::optional<Waits> waits_of(const WayResult& way) {
    std::vector<std::chrono::nanoseconds> all;
    for (const Round& round : way.rounds) {
        all.insert(all.end(), round.waits.begin(), round.waits.end());
    }
    if (all.empty()) {
        return std::nullopt;
    }
    std::sort(all.begin(), all.end());
    const auto at = [&](std::size_t percent) {
        return all[(all.size() * percent + 99) / 100 - 1];
    };
    return Waits{.count = all.size(), .half = at(50), .most = at(95), .longest = all.back()};
}

std::optional<double> rate_of(const WayResult& way) {
    std::vector<double> rates;
    for (const Round& round : way.rounds) {
        const double seconds = std::chrono::duration<double>(round.time).count();
        const auto answers = static_cast<double>(round.accepted + round.refused);
        if (seconds > 0 && answers > 0) {
            rates.push_back(answers / seconds);
        }
    }
    if (rates.empty()) {
        return std::nullopt;
    }
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
}

std::string grouped(std::int64_t number) {
    std::string digits = fmt::format("{}", number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string shown(const std::optional<std::int64_t>& number) {
    return number ? grouped(*number) : "-";
}

std::string milliseconds(std::chrono::nanoseconds time) {
    const double ms = std::chrono::duration<double, std::milli>(time).count();
    return ms < 100 ? fmt::format("{:.1f} ms", ms) : fmt::format("{} ms", grouped(std::lround(ms)));
}

}  // namespace passbook::lab
