// SPDX-License-Identifier: Apache-2.0
#include "lab/lanes.h"

#include <fmt/format.h>
#include <map>
#include <vector>

#include "lab/excerpt.h"
#include "lab/html.h"
#include "lab/labels.h"

namespace passbook::lab {
namespace {

constexpr std::size_t lanes_max = 8;
constexpr std::size_t rows_max = 60;
constexpr int lanes_top = 24;  ///< Pixels, as all that is measured downwards.
constexpr int lane_height = 48;
constexpr int line_in_lane = 30;

/// By which the page colours what happened.
std::string_view kind_of(Moment moment) noexcept {
    switch (moment) {
        case Moment::asked:
            return "asked";
        case Moment::read:
            return "read";
        case Moment::waited:
            return "waited";
        case Moment::moved:
        case Moment::entered:
            return "wrote";
        case Moment::began:
        case Moment::committed:
        case Moment::undone:
            return "bounds";
        case Moment::accepted:
            return "accepted";
        case Moment::refused:
            return "refused";
        case Moment::noted:
            break;
    }
    return "noted";
}

/// Percent from the left. Much of the width is shared by all rows alike, so that marks which lie
/// microseconds apart do not hide each other beside a wait of seconds; the rest is true to time.
std::vector<double> places_of(const Excerpt& excerpt) {
    constexpr double left = 2.5;
    constexpr double width = 95;
    constexpr double alike = 0.6;
    const std::size_t gaps = excerpt.rows.size() - 1;
    const double whole = excerpt.milliseconds(excerpt.rows.back());
    std::vector<double> places;
    for (std::size_t n = 0; n <= gaps; ++n) {
        const double order = gaps > 0 ? static_cast<double>(n) / static_cast<double>(gaps) : 0;
        const double time = whole > 0 ? excerpt.milliseconds(excerpt.rows[n]) / whole : order;
        places.push_back(left + width * (alike * order + (1 - alike) * time));
    }
    return places;
}

int line_of(const Excerpt& excerpt, const Happening& row) {
    return lanes_top + lane_height * static_cast<int>(excerpt.place_of(row)) + line_in_lane;
}

/// Milliseconds above the lanes, as many as there is room for.
std::string times(const Excerpt& excerpt, const std::vector<double>& places) {
    constexpr double room = 11;
    std::string out;
    double last = -room;
    for (std::size_t n = 0; n < places.size(); ++n) {
        if (places[n] - last >= room && places[n] < 95) {
            out += fmt::format(R"(<text class="time" x="{:.2f}%" y="14">{:.2f}</text>)", places[n],
                               excerpt.milliseconds(excerpt.rows[n]));
            last = places[n];
        }
    }
    return out;
}

/// From BEGIN to COMMIT or ROLLBACK; to the end where neither is shown.
std::string transactions(const Excerpt& excerpt, const std::vector<double>& places) {
    std::map<std::size_t, double> begun;  // by lane
    std::string out;
    const auto draw = [&](std::size_t lane, double from, double to) {
        const int line = line_of(excerpt, {.lane = lane});
        out += fmt::format(
            R"(<rect class="transaction" x="{:.2f}%" y="{}" width="{:.2f}%" height="28" rx="6"/>)",
            from, line - 14, to - from);
    };
    for (std::size_t n = 0; n < places.size(); ++n) {
        const Happening& row = excerpt.rows[n];
        const auto open = begun.find(row.lane);
        const bool ends = row.moment == Moment::committed || row.moment == Moment::undone;
        if (row.moment == Moment::began) {
            begun[row.lane] = places[n];
        } else if (ends && open != begun.end()) {
            draw(row.lane, open->second, places[n]);
            begun.erase(open);
        }
    }
    for (const auto& [lane, from] : begun) {
        draw(lane, from, 100);
    }
    return out;
}

std::string drawing(const WayResult& way, const Excerpt& excerpt, Language in) {
    const std::vector<double> places = places_of(excerpt);
    std::string out = fmt::format(
        R"(<svg role="img" aria-label="{}" width="100%" height="{}" style="min-width:{}px">)",
        escaped(axis_of(way.way->name).in(in)),
        lanes_top + lane_height * static_cast<int>(excerpt.lanes.size()),
        40 + 34 * excerpt.rows.size());
    for (std::size_t lane = 0; lane < excerpt.lanes.size(); ++lane) {
        const int top = lanes_top + lane_height * static_cast<int>(lane);
        out += fmt::format(R"(<text class="lane" x="0" y="{}">{}</text>)"
                           R"(<line x1="0" x2="100%" y1="{}" y2="{}"/>)",
                           top + 11, escaped(way.lanes.at(excerpt.lanes[lane]).in(in)),
                           top + line_in_lane, top + line_in_lane);
    }
    out += times(excerpt, places) + transactions(excerpt, places) + '\n';
    for (std::size_t n = 0; n < places.size(); ++n) {
        const Happening& row = excerpt.rows[n];
        const int line = line_of(excerpt, row);
        out += fmt::format(
            R"(<g class="mark {}" data-row="{}"><title>{:.2f} ms: {}</title>)"
            R"(<circle cx="{:.2f}%" cy="{}" r="9.5"/><text x="{:.2f}%" y="{}">{}</text></g>)"
            "\n",
            kind_of(row.moment), n + 1, excerpt.milliseconds(row), escaped(row.text.in(in)),
            places[n], line, places[n], line + 4, n + 1);
    }
    return out + "</svg>\n";
}

std::string rows(const WayResult& way, const Excerpt& excerpt, Language in) {
    std::string out = fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">"
        "<table class=\"rows\"><thead><tr><th scope=\"col\">#</th><th scope=\"col\">ms</th>"
        "<th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead><tbody>\n",
        escaped(rows_of(way.way->name).in(in)), labels::lane.in(in), labels::what.in(in));
    for (std::size_t n = 0; n < excerpt.rows.size(); ++n) {
        const Happening& row = excerpt.rows[n];
        out += fmt::format(
            "<tr class=\"{}\" data-row=\"{}\"><td>{}</td><td>{:.2f}</td><td>{}</td>"
            "<td>{}</td></tr>\n",
            kind_of(row.moment), n + 1, n + 1, excerpt.milliseconds(row),
            escaped(way.lanes.at(row.lane).in(in)), escaped(row.text.in(in)));
    }
    return out + "</tbody></table></div>\n";
}

}  // namespace

std::string lanes_of(const WayResult& way, Language language) {
    const Excerpt excerpt = excerpt_of(way, lanes_max, rows_max);
    if (excerpt.rows.empty()) {
        return "";
    }
    const Text& failure = way.rounds.at(way.telling).failure;
    std::string out = fmt::format(
        "<figure class=\"axis\">\n<figcaption><b><code>{}</code>, {}</b> <span class=\"{}\">{}"
        "</span></figcaption>\n<div class=\"scroll\">",
        escaped(way.way->name), round_number(way.telling + 1).in(language),
        failure.empty() ? "held" : "failed",
        escaped((failure.empty() ? Text(labels::held) : failure).in(language)));
    out += drawing(way, excerpt, language);
    out +=
        fmt::format("</div>\n<output class=\"now\">{}</output>\n", labels::axis_note.in(language));
    out += rows(way, excerpt, language);
    if (excerpt.left_out > 0) {
        out += fmt::format("<p class=\"note\">{}</p>\n",
                           more_in(excerpt.left_out, way.lanes.size()).in(language));
    }
    return out + "</figure>\n";
}

}  // namespace passbook::lab
