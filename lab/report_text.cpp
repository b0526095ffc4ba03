// SPDX-License-Identifier: Apache-2.0
#include "lab/report_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

namespace passbook::lab {
namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t indent = 4;

/// Breaks a text between words; every line but the first is moved in by `hanging`.
std::string wrapped(std::string_view label, const std::string& text) {
    constexpr std::size_t hanging = 15;
    std::string out = fmt::format("  {:<{}}", label, hanging - 2);
    std::size_t column = hanging;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (column + word.size() > columns && column > hanging) {
            out.pop_back();
            out += '\n' + std::string(hanging, ' ');
            column = hanging;
        }
        out += word + ' ';
        column += word.size() + 1;
    }
    out.pop_back();
    return out + '\n';
}

std::string shown(const std::optional<std::int64_t>& number) {
    return number ? grouped(*number) : "-";
}

std::string milliseconds(std::chrono::nanoseconds time) {
    const double ms = std::chrono::duration<double, std::milli>(time).count();
    return ms < 100 ? fmt::format("{:.1f} ms", ms) : fmt::format("{} ms", grouped(std::lround(ms)));
}

/// A column of the table: its heading, and one cell per way.
struct Column {
    std::string heading;
    std::vector<std::string> cells;
};

using Rows = std::vector<const WayResult*>;

template <class Cell>
Column column(std::string heading, const Rows& rows, const Cell& cell) {
    Column made{std::move(heading), {}};
    for (const WayResult* row : rows) {
        made.cells.push_back(cell(*row, row->rounds.at(row->telling)));
    }
    return made;
}

std::optional<std::int64_t> difference(const Round& round) {
    return round.balance && round.entries_sum ? std::optional(*round.balance - *round.entries_sum)
                                              : std::nullopt;
}

std::optional<std::int64_t> figure(const Round& round, const std::string& name) {
    const auto found = std::find_if(round.figures.begin(), round.figures.end(),
                                    [&](const Round::Figure& f) { return f.name == name; });
    return found == round.figures.end() ? std::nullopt : std::optional(found->value);
}

std::vector<std::string> figure_names(const Rows& rows) {
    std::vector<std::string> names;
    for (const WayResult* row : rows) {
        for (const Round::Figure& each : row->rounds.at(row->telling).figures) {
            if (std::find(names.begin(), names.end(), each.name) == names.end()) {
                names.push_back(each.name);
            }
        }
    }
    return names;
}

std::vector<Column> columns_of(const Rows& rows) {
    std::vector<Column> all{
        column("way", rows, [](const WayResult& w, const Round&) { return w.way->name; }),
        column("failed", rows,
               [](const WayResult& w, const Round&) {
                   return fmt::format("{} of {}", w.failed(), w.rounds.size());
               }),
        column("accepted", rows,
               [](const WayResult&, const Round& r) { return grouped(r.accepted); }),
        column("refused", rows,
               [](const WayResult&, const Round& r) { return grouped(r.refused); }),
        column("balance", rows, [](const WayResult&, const Round& r) { return shown(r.balance); }),
        column("entries", rows,
               [](const WayResult&, const Round& r) { return shown(r.entries_sum); }),
        column("difference", rows,
               [](const WayResult&, const Round& r) { return shown(difference(r)); }),
        column("time", rows, [](const WayResult&, const Round& r) {
            return r.time.count() == 0 ? "-" : milliseconds(r.time);
        })};
    for (const std::string& name : figure_names(rows)) {
        all.push_back(column(
            name, rows, [&](const WayResult&, const Round& r) { return shown(figure(r, name)); }));
    }
    // Where nobody is refused, or a figure is not taken, the column would only take room.
    std::erase_if(all, [](const Column& each) {
        const std::string_view nothing = each.heading == "refused" ? "0" : "-";
        return std::all_of(each.cells.begin(), each.cells.end(),
                           [&](const std::string& cell) { return cell == nothing; });
    });
    return all;
}

/// The first column is words, the others numbers.
std::string table(const Rows& rows) {
    const std::vector<Column> all = columns_of(rows);
    std::string out;
    for (std::size_t line = 0; line <= rows.size(); ++line) {
        std::string text(indent, ' ');
        for (std::size_t at = 0; at < all.size(); ++at) {
            std::size_t width = all[at].heading.size();
            for (const std::string& cell : all[at].cells) {
                width = std::max(width, cell.size());
            }
            const std::string& cell = line == 0 ? all[at].heading : all[at].cells[line - 1];
            text += at == 0 ? fmt::format("{:<{}}  ", cell, width)
                            : fmt::format("{:>{}}  ", cell, width);
        }
        out += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
    }
    return out;
}

/// What a way measured in each round, where it was not always the same.
std::string by_round(const WayResult& way) {
    std::string out;
    for (const std::string& name : figure_names({&way})) {
        std::vector<std::string> values;
        for (const Round& round : way.rounds) {
            values.push_back(shown(figure(round, name)));
        }
        if (std::any_of(values.begin(), values.end(),
                        [&](const auto& value) { return value != values.front(); })) {
            out += fmt::format("    {}: {} round by round: {}\n", way.way->name, name,
                               fmt::join(values, "  "));
        }
    }
    return out;
}

std::string outcome_table(const ExperimentResult& result, Kind kind) {
    Rows rows;
    std::string absent;
    std::string rounds;
    for (const WayResult& way : result.ways) {
        if (way.kind != kind) {
            continue;
        }
        if (way.absent) {
            const std::string where =
                way.way->needs_redis ? "played" : fmt::format("on {}", name_of(kind));
            absent += fmt::format("    {:<20}not {}: {}\n", way.way->name, where, *way.absent);
        } else {
            rows.push_back(&way);
            rounds += by_round(way);
        }
    }
    return fmt::format("\n  {} ({})\n", name_of(kind), usual_level(kind)) +
           (rows.empty() ? "" : table(rows)) + absent + rounds;
}

std::string axes(const ExperimentResult& result, Kind kind) {
    const WayResult* failing = nullptr;
    const WayResult* holding = nullptr;
    for (const WayResult& way : result.ways) {
        if (way.kind != kind || way.happenings.empty()) {
            continue;
        }
        const WayResult*& place = way.failed() > 0 ? failing : holding;
        place = place == nullptr ? &way : place;
    }
    std::string out;
    for (const WayResult* way : {failing, holding}) {
        if (way != nullptr) {
            const std::string& failure = way->rounds.at(way->telling).failure;
            out += fmt::format("\n  {}, round {}: {}\n", way->way->name, way->telling + 1,
                               failure.empty() ? "held" : failure);
            out += time_axis(*way);
        }
    }
    return out;
}

/// The lanes that came first, and what happened in them.
std::vector<Happening> of_first_lanes(const WayResult& way, std::size_t lanes_max,
                                      std::vector<std::size_t>& lanes) {
    std::vector<Happening> kept;
    for (const Happening& happening : way.happenings) {
        const bool known = std::find(lanes.begin(), lanes.end(), happening.lane) != lanes.end();
        if (!known && lanes.size() < lanes_max) {
            lanes.push_back(happening.lane);
        }
        if (known || lanes.back() == happening.lane) {
            kept.push_back(happening);
        }
    }
    std::sort(lanes.begin(), lanes.end());
    return kept;
}

}  // namespace

std::string grouped(std::int64_t number) {
    std::string digits = fmt::format("{}", number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string time_axis(const WayResult& way) {
    constexpr std::size_t lanes_max = 3;
    constexpr std::size_t rows_max = 24;
    constexpr std::size_t time_width = 11;
    std::vector<std::size_t> lanes;
    const std::vector<Happening> kept = of_first_lanes(way, lanes_max, lanes);
    if (lanes.empty()) {
        return "";
    }
    const std::size_t width =
        std::min<std::size_t>((columns - time_width) / lanes.size(), lanes.size() == 1 ? 80 : 32);
    std::string out = fmt::format("{:>{}}  ", "ms", time_width - 2);
    for (const std::size_t lane : lanes) {
        out += fmt::format("{:<{}}", way.lanes.at(lane), width);
    }
    out = out.substr(0, out.find_last_not_of(' ') + 1) + '\n';
    for (std::size_t row = 0; row < kept.size() && row < rows_max; ++row) {
        const auto lane = std::find(lanes.begin(), lanes.end(), kept[row].lane);
        const double ms =
            std::chrono::duration<double, std::milli>(kept[row].at - kept[0].at).count();
        out += fmt::format("{:>{}.2f}  {}{}\n", ms, time_width - 2,
                           std::string(width * static_cast<std::size_t>(lane - lanes.begin()), ' '),
                           kept[row].text.substr(0, width == 80 ? width : width - 1));
    }
    const std::size_t more = way.happenings.size() - std::min(kept.size(), rows_max);
    if (more > 0) {
        out += fmt::format(
            "           … and {} more in {}\n", more,
            way.lanes.size() == 1 ? "1 lane" : fmt::format("{} lanes", way.lanes.size()));
    }
    return out;
}

std::string summary_of(const std::vector<ExperimentResult>& results) {
    std::string out;
    for (const Kind kind : {Kind::sqlite, Kind::postgres, Kind::mariadb}) {
        std::size_t rounds = 0;
        std::size_t failed = 0;
        std::size_t unsafe = 0;
        std::size_t held = 0;
        std::size_t guarded = 0;
        for (const ExperimentResult& result : results) {
            for (const WayResult& way : result.ways) {
                if (way.kind != kind || way.rounds.empty()) {
                    continue;
                }
                rounds += way.rounds.size();
                unsafe += way.way->promise == Promise::unsafe ? 1U : 0U;
                failed += way.way->promise == Promise::unsafe && !way.missed() ? 1U : 0U;
                guarded += way.way->promise == Promise::guarded ? 1U : 0U;
                held += way.way->promise == Promise::guarded && !way.missed() ? 1U : 0U;
            }
        }
        if (rounds > 0) {
            out += fmt::format(
                "{:<11}{} of {} unsafe ways were seen to fail, {} of {} guarded ways held; {} "
                "rounds.\n",
                name_of(kind), failed, unsafe, held, guarded,
                grouped(static_cast<std::int64_t>(rounds)));
        }
    }
    return out;
}

std::string text_of(const ExperimentResult& result) {
    const Experiment& experiment = *result.experiment;
    std::string out = fmt::format("{}  {}\n", experiment.id, experiment.question);
    out += wrapped("setting", experiment.setting);
    out += wrapped("expectation", experiment.expectation);
    if (!result.locks.empty()) {
        out += wrapped("locks", result.locks);
    }
    for (std::size_t n = 0; n < experiment.ways.size(); ++n) {
        const Way& way = experiment.ways[n];
        out += fmt::format("  {:<13}{:<8} {:<20} {}\n", n == 0 ? "ways" : "", name_of(way.promise),
                           way.name, way.how);
    }
    std::vector<Kind> kinds;
    for (const WayResult& way : result.ways) {
        if (std::find(kinds.begin(), kinds.end(), way.kind) == kinds.end()) {
            kinds.push_back(way.kind);
        }
    }
    for (const Kind kind : kinds) {
        out += outcome_table(result, kind) + axes(result, kind);
    }
    const auto missed = result.missed();
    const bool played = std::any_of(result.ways.begin(), result.ways.end(),
                                    [](const WayResult& way) { return !way.rounds.empty(); });
    if (missed.empty()) {
        out += played ? "\n  As expected.\n" : "\n  Not played.\n";
    }
    for (const std::string& each : missed) {
        out += fmt::format("\n  NOT AS EXPECTED: {}\n", each);
    }
    return out;
}

}  // namespace passbook::lab
