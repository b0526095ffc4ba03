// SPDX-License-Identifier: Apache-2.0
#include "lab/plots.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "lab/figures.h"
#include "lab/html.h"
#include "lab/labels.h"

namespace passbook::lab {
namespace {

using Ways = std::vector<const WayResult*>;

struct Heading {
    Text text;
    std::string_view bar = {};  ///< The class of the bar that shows it, for the legend.
};

struct PlotRow {
    const WayResult* way = nullptr;
    std::string bars;  ///< Shapes of an SVG; across in percent, down in pixels of 24.
    std::vector<std::string> cells;
};

struct Plot {
    Text title;
    Text note;
    std::string least;  ///< What the left end of the bars stands for, and the right.
    std::string most;
    std::vector<Heading> headings;
    std::vector<PlotRow> rows;
};

/// Where a value lies between two others, in percent.
struct Scale {
    double least = 0;
    double most = 0;

    [[nodiscard]] double at(double value) const {
        return most > least ? 100 * (value - least) / (most - least) : 0;
    }
};

/// Never so thin that it is not seen. `top` and `height` are pixels.
std::string bar(std::string_view kind, double from, double to, int top, int height) {
    const double left = std::min(from, to);
    return fmt::format(R"(<rect class="{}" x="{:.2f}%" y="{}" width="{:.2f}%" height="{}"/>)", kind,
                       left, top, std::max(std::abs(to - from), 0.5), height);
}

/// A name may be broken behind each underscore, for narrow screens.
std::string breakable(const std::string& name) {
    std::string out = escaped(name);
    for (std::size_t at = out.find('_'); at != std::string::npos; at = out.find('_', at + 1)) {
        out.insert(at + 1, "<wbr>");
    }
    return out;
}

std::string head_of(const Plot& plot, Language in) {
    std::string out =
        fmt::format(R"(<thead><tr><th scope="col">{}</th>)"
                    R"(<td class="bars" aria-hidden="true"><span class="ends"><span>{}</span>)"
                    R"(<span>{}</span></span></td>)",
                    labels::way.in(in), escaped(plot.least), escaped(plot.most));
    for (const Heading& heading : plot.headings) {
        const std::string key =
            heading.bar.empty() ? "" : fmt::format(R"(<i class="{}"></i>)", heading.bar);
        out += fmt::format(R"(<th scope="col">{}{}</th>)", key, escaped(heading.text.in(in)));
    }
    return out + "</tr></thead>\n";
}

std::string html_of(const Plot& plot, Language in) {
    if (plot.rows.empty()) {
        return "";
    }
    std::string out = fmt::format(
        "<figure class=\"plot\">\n<figcaption><b>{0}</b> <span>{1}</span></figcaption>\n"
        R"(<div class="scroll" role="region" tabindex="0" aria-label="{0}"><table>)",
        escaped(plot.title.in(in)), escaped(plot.note.in(in)));
    out += head_of(plot, in) + "<tbody>\n";
    for (const PlotRow& row : plot.rows) {
        out += fmt::format(
            R"(<tr><th scope="row" class="{}"><code>{}</code></th><td class="bars" )"
            R"(aria-hidden="true"><svg width="100%" height="24" focusable="false">{}</svg></td>)",
            row.way->failed() > 0 ? "failing" : "holding", breakable(row.way->way->name), row.bars);
        for (const std::string& cell : row.cells) {
            out += fmt::format("<td>{}</td>", escaped(cell));
        }
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n</figure>\n";
}

Plot outcome(const Ways& ways, Language in) {
    Plot plot{.title = labels::outcome, .note = labels::outcome_note, .least = "0"};
    plot.headings = {
        {labels::accepted, "accepted"}, {labels::refused, "refused"}, {labels::failed_rounds}};
    const std::vector<Text> names = figure_names(ways);
    for (const Text& name : names) {
        plot.headings.push_back({name});
    }
    std::int64_t most = 0;
    for (const WayResult* way : ways) {
        most = std::max(most, told(*way).accepted + told(*way).refused);
    }
    plot.most = grouped(most);
    const Scale scale{.most = static_cast<double>(most)};
    for (const WayResult* way : ways) {
        const Round& round = told(*way);
        const double accepted = scale.at(static_cast<double>(round.accepted));
        const double all = scale.at(static_cast<double>(round.accepted + round.refused));
        PlotRow row{.way = way};
        row.bars = (round.accepted > 0 ? bar("accepted", 0, accepted, 4, 16) : "") +
                   (round.refused > 0 ? bar("refused", accepted, all, 4, 16) : "");
        row.cells = {grouped(round.accepted), grouped(round.refused),
                     of_rounds(way->failed(), way->rounds.size()).in(in)};
        for (const Text& name : names) {
            row.cells.push_back(shown(figure(round, name)));
        }
        plot.rows.push_back(std::move(row));
    }
    return plot;
}

Plot balances(const Ways& ways) {
    Plot plot{.title = labels::balance_and_entries, .note = labels::balance_note};
    plot.headings = {
        {labels::balance, "balance"}, {labels::entries, "entries"}, {labels::difference}};
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (const WayResult* way : ways) {
        for (const auto& value : {told(*way).balance, told(*way).entries_sum}) {
            least = std::min(least, value.value_or(0));
            most = std::max(most, value.value_or(0));
        }
    }
    plot.least = grouped(least);
    plot.most = grouped(most);
    const Scale scale{static_cast<double>(least), static_cast<double>(most)};
    for (const WayResult* way : ways) {
        const Round& round = told(*way);
        if (!round.balance && !round.entries_sum) {
            continue;
        }
        PlotRow row{.way = way};
        row.bars = bar("zero", scale.at(0), scale.at(0), 0, 24);
        if (round.balance) {
            row.bars +=
                bar("balance", scale.at(0), scale.at(static_cast<double>(*round.balance)), 3, 8);
        }
        if (round.entries_sum) {
            row.bars += bar("entries", scale.at(0),
                            scale.at(static_cast<double>(*round.entries_sum)), 13, 8);
        }
        row.cells = {shown(round.balance), shown(round.entries_sum), shown(difference(round))};
        plot.rows.push_back(std::move(row));
    }
    return plot;
}

Plot latency(const Ways& ways) {
    Plot plot{.title = labels::latency, .note = labels::latency_note, .least = "0"};
    plot.headings = {{labels::half_within, "half"},
                     {labels::most_within, "most"},
                     {labels::longest, "longest"},
                     {labels::requests}};
    std::chrono::nanoseconds longest{0};
    for (const WayResult* way : ways) {
        longest = std::max(longest, waits_of(*way).value_or(Waits{}).longest);
    }
    plot.most = milliseconds(longest);
    const Scale scale{.most = static_cast<double>(longest.count())};
    const auto at = [&](std::chrono::nanoseconds time) {
        return scale.at(static_cast<double>(time.count()));
    };
    for (const WayResult* way : ways) {
        if (const auto waits = waits_of(*way)) {
            PlotRow row{.way = way};
            row.bars = bar("longest", 0, at(waits->longest), 11, 2) +
                       bar("most", 0, at(waits->most), 8, 8) +
                       bar("half", 0, at(waits->half), 4, 16);
            row.cells = {milliseconds(waits->half), milliseconds(waits->most),
                         milliseconds(waits->longest),
                         grouped(static_cast<std::int64_t>(waits->count))};
            plot.rows.push_back(std::move(row));
        }
    }
    return plot;
}

Plot throughput(const Ways& ways) {
    Plot plot{.title = labels::throughput, .note = labels::throughput_note, .least = "0"};
    plot.headings = {{labels::per_second, "rate"}, {labels::time_of_load}};
    double most = 0;
    for (const WayResult* way : ways) {
        most = std::max(most, rate_of(*way).value_or(0));
    }
    plot.most = grouped(std::lround(most));
    const Scale scale{.most = most};
    for (const WayResult* way : ways) {
        if (const auto rate = rate_of(*way)) {
            plot.rows.push_back(
                {.way = way,
                 .bars = bar("rate", 0, scale.at(*rate), 4, 16),
                 .cells = {grouped(std::lround(*rate)), milliseconds(told(*way).time)}});
        }
    }
    return plot;
}

}  // namespace

std::string plots_of(const std::vector<const WayResult*>& ways, Language language) {
    std::string out;
    for (const Plot& plot :
         {outcome(ways, language), balances(ways), latency(ways), throughput(ways)}) {
        out += html_of(plot, language);
    }
    return out;
}

}  // namespace passbook::lab
