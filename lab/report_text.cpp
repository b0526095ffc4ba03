// SPDX-License-Identifier: Apache-2.0
#include "lab/report_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <sstream>
#include <vector>

#include "lab/columns.h"
#include "lab/excerpt.h"
#include "lab/figures.h"
#include "lab/labels.h"
#include "lab/tally.h"

namespace passbook::lab {
namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t indent = 4;

/// Breaks a text between words; every line but the first is moved in by `hanging`.
std::string wrapped(std::string_view label, const std::string& text) {
    constexpr std::size_t hanging = 15;
    std::string out = "  " + flush_left(hanging - 2, label);
    std::size_t column = hanging;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t width = columns_of(word);
        if (column + width > columns && column > hanging) {
            out.pop_back();
            out += '\n' + std::string(hanging, ' ');
            column = hanging;
        }
        out += word + ' ';
        column += width + 1;
    }
    out.pop_back();
    return out + '\n';
}

/// A column of the table: its heading, and one cell per way.
struct Column {
    Text heading;
    std::vector<std::string> cells;
};

using Rows = std::vector<const WayResult*>;

template <class Cell>
Column column(Text heading, const Rows& rows, const Cell& cell) {
    Column made{std::move(heading), {}};
    for (const WayResult* row : rows) {
        made.cells.push_back(cell(*row, told(*row)));
    }
    return made;
}

std::vector<Column> columns_for(const Rows& rows, Language in) {
    std::vector<Column> all{
        column(labels::way, rows, [](const WayResult& w, const Round&) { return w.way->name; }),
        column(labels::failed, rows,
               [&](const WayResult& w, const Round&) {
                   return of_rounds(w.failed(), w.rounds.size()).in(in);
               }),
        column(labels::accepted, rows,
               [](const WayResult&, const Round& r) { return grouped(r.accepted); }),
        column(labels::refused, rows,
               [](const WayResult&, const Round& r) { return grouped(r.refused); }),
        column(labels::balance, rows,
               [](const WayResult&, const Round& r) { return shown(r.balance); }),
        column(labels::entries, rows,
               [](const WayResult&, const Round& r) { return shown(r.entries_sum); }),
        column(labels::difference, rows,
               [](const WayResult&, const Round& r) { return shown(difference(r)); }),
        column(labels::time, rows, [](const WayResult&, const Round& r) {
            return r.time.count() == 0 ? "-" : milliseconds(r.time);
        })};
    for (const Text& name : figure_names(rows)) {
        all.push_back(column(
            name, rows, [&](const WayResult&, const Round& r) { return shown(figure(r, name)); }));
    }
    // Where nobody is refused, or a figure is not taken, the column would only take room.
    std::erase_if(all, [](const Column& each) {
        const std::string_view nothing = each.heading == Text(labels::refused) ? "0" : "-";
        return std::all_of(each.cells.begin(), each.cells.end(),
                           [&](const std::string& cell) { return cell == nothing; });
    });
    return all;
}

/// The first column is words, the others numbers.
std::string table(const Rows& rows, Language in) {
    std::vector<std::string> lines(rows.size() + 1, std::string(indent, ' '));
    bool is_first = true;
    for (const Column& each : columns_for(rows, in)) {
        std::vector<std::string> cells = each.cells;
        cells.insert(cells.begin(), each.heading.in(in));
        std::size_t width = 0;
        for (const std::string& cell : cells) {
            width = std::max(width, columns_of(cell));
        }
        for (std::size_t line = 0; line < cells.size(); ++line) {
            lines[line] +=
                (is_first ? flush_left(width, cells[line]) : flush_right(width, cells[line])) +
                "  ";
        }
        is_first = false;
    }
    std::string out;
    for (const std::string& line : lines) {
        out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return out;
}

std::string outcome_table(const ExperimentResult& result, Kind kind, Language in) {
    Rows rows;
    std::string absent;
    std::string rounds;
    for (const WayResult& way : result.ways) {
        if (way.kind != kind) {
            continue;
        }
        if (way.absent) {
            absent += fmt::format("    {:<20}{}\n", way.way->name,
                                  not_on(*way.way, kind, *way.absent).in(in));
            continue;
        }
        rows.push_back(&way);
        for (const Text& name : figure_names({&way})) {
            const auto values = by_round(way, name);
            if (!values.empty()) {
                rounds +=
                    fmt::format("    {}\n", round_by_round(way.way->name, name, values).in(in));
            }
        }
    }
    return fmt::format("\n  {} ({})\n", name_of(kind), usual_level(kind)) +
           (rows.empty() ? "" : table(rows, in)) + absent + rounds;
}

std::string axes(const ExperimentResult& result, Kind kind, Language in) {
    std::string out;
    for (const WayResult* way : telling_ways(result, kind)) {
        const Text& failure = told(*way).failure;
        out +=
            fmt::format("\n  {}, {}: {}\n", way->way->name, round_number(way->telling + 1).in(in),
                        (failure.empty() ? Text(labels::held) : failure).in(in)) +
            time_axis(*way, in);
    }
    return out;
}

}  // namespace

std::string time_axis(const WayResult& way, Language language) {
    constexpr std::size_t lanes_max = 3;
    constexpr std::size_t rows_max = 24;
    constexpr std::size_t time_width = 11;
    const Excerpt excerpt = excerpt_of(way, lanes_max, rows_max);
    const std::size_t lanes = excerpt.lanes.size();
    if (lanes == 0) {
        return "";
    }
    const std::size_t width =
        std::min<std::size_t>((columns - time_width) / lanes, lanes == 1 ? 80 : 32);
    std::string out = fmt::format("{:>{}}  ", "ms", time_width - 2);
    for (const std::size_t lane : excerpt.lanes) {
        out += flush_left(width, way.lanes.at(lane).in(language));
    }
    out = out.substr(0, out.find_last_not_of(' ') + 1) + '\n';
    for (const Happening& row : excerpt.rows) {
        out += fmt::format("{:>{}.2f}  {}{}\n", excerpt.milliseconds(row), time_width - 2,
                           std::string(width * excerpt.place_of(row), ' '),
                           cut_to(lanes == 1 ? width : width - 1, row.text.in(language)));
    }
    if (excerpt.left_out > 0) {
        out += fmt::format("{:{}}{}\n", "", time_width,
                           more_in(excerpt.left_out, way.lanes.size()).in(language));
    }
    return out;
}

std::string summary_of(const std::vector<ExperimentResult>& results, Language language) {
    std::string out;
    for (const Tally& tally : tallies_of(results)) {
        out += fmt::format("{:<11}", name_of(tally.kind)) +
               say("{} of {} unsafe ways were seen to fail, {} of {} guarded ways held; {} "
                   "rounds.\n",
                   "위험한 방식 {1}개 중 {0}개가 실패를 보였고, 안전한 방식 {3}개 중 {2}개가 "
                   "지켜졌다. {4}회차.\n",
                   tally.failed, tally.unsafe, tally.held, tally.guarded,
                   grouped(static_cast<std::int64_t>(tally.rounds)))
                   .in(language);
    }
    return out;
}

std::string text_of(const ExperimentResult& result, Language language) {
    const Experiment& experiment = *result.experiment;
    std::string out = fmt::format("{}  {}\n", experiment.id, experiment.question.in(language));
    out += wrapped(labels::setting.in(language), experiment.setting.in(language));
    out += wrapped(labels::expectation.in(language), experiment.expectation.in(language));
    if (!result.locks.empty()) {
        out += wrapped(labels::locks.in(language), result.locks.in(language));
    }
    for (std::size_t n = 0; n < experiment.ways.size(); ++n) {
        const Way& way = experiment.ways[n];
        out += "  " + flush_left(13, n == 0 ? labels::ways.in(language) : "") +
               flush_left(9, label_of(way.promise).in(language)) +
               fmt::format("{:<20} {}\n", way.name, way.how.in(language));
    }
    for (const Kind kind : kinds_of(result)) {
        out += outcome_table(result, kind, language) + axes(result, kind, language);
    }
    const auto missed = result.missed();
    if (missed.empty()) {
        const Label verdict = was_played(result) ? labels::as_expected : labels::not_played;
        out += fmt::format("\n  {}\n", verdict.in(language));
    }
    for (const Text& each : missed) {
        out += fmt::format("\n  {}: {}\n", labels::not_as_expected.in(language), each.in(language));
    }
    return out;
}

}  // namespace passbook::lab
