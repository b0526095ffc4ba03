// SPDX-License-Identifier: Apache-2.0
#include "lab/report_html.h"

#include <fmt/format.h>
#include <algorithm>

#include "lab/excerpt.h"
#include "lab/figures.h"
#include "lab/html.h"
#include "lab/labels.h"
#include "lab/lanes.h"
#include "lab/page.h"
#include "lab/plots.h"
#include "lab/tally.h"

namespace passbook::lab {
namespace {

std::string_view code_of(Language language) noexcept {
    return language == Language::english ? "en" : "ko";
}

std::string head(Language in) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        code_of(in), labels::lab.in(in), page.at(0));
}

std::string mark_of(const ExperimentResult& result) {
    if (!was_played(result)) {
        return R"(<span aria-hidden="true">–</span>)";
    }
    return result.missed().empty() ? R"(<span class="good" aria-hidden="true">✓</span>)"
                                   : R"(<span class="bad" aria-hidden="true">✗</span>)";
}

std::string contents(const std::vector<ExperimentResult>& results, Language in) {
    std::string out = fmt::format("<nav aria-label=\"{}\"><ul>\n", labels::experiments.in(in));
    for (const ExperimentResult& result : results) {
        const Experiment& experiment = *result.experiment;
        out += fmt::format("<li><a href=\"#{0}\">{1} <b>{0}</b> {2}</a></li>\n",
                           escaped(experiment.id), mark_of(result),
                           escaped(experiment.question.in(in)));
    }
    return out + "</ul></nav>\n";
}

/// Per database, in how many ways the promise was kept.
std::string tallies(const std::vector<ExperimentResult>& results, Language in) {
    std::string out = "<table class=\"tallies\"><thead><tr>";
    for (const Label& heading :
         {labels::database, labels::seen_to_fail, labels::seen_to_hold, labels::rounds}) {
        out += fmt::format("<th scope=\"col\">{}</th>", heading.in(in));
    }
    out += "</tr></thead><tbody>\n";
    const auto of = [](std::size_t kept, std::size_t all) {
        return fmt::format(R"(<td class="{}">{} / {}</td>)", kept == all ? "good" : "bad", kept,
                           all);
    };
    for (const Tally& tally : tallies_of(results)) {
        out +=
            fmt::format("<tr><th scope=\"row\">{}</th>{}{}<td>{}</td></tr>\n", name_of(tally.kind),
                        of(tally.failed, tally.unsafe), of(tally.held, tally.guarded),
                        grouped(static_cast<std::int64_t>(tally.rounds)));
    }
    return out + "</tbody></table>\n";
}

std::string ways_table(const Experiment& experiment, Language in) {
    std::string out = "<table class=\"ways\"><thead><tr>";
    for (const Label& heading : {labels::promise, labels::way, labels::what_it_does}) {
        out += fmt::format("<th scope=\"col\">{}</th>", heading.in(in));
    }
    out += "</tr></thead><tbody>\n";
    for (const Way& way : experiment.ways) {
        out += fmt::format(
            "<tr><td class=\"{}\">{}</td><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>\n",
            name_of(way.promise), label_of(way.promise).in(in), escaped(way.name),
            escaped(way.how.in(in)));
    }
    return out + "</tbody></table>\n";
}

/// Ways that do not exist there, and figures that were not the same in each round.
std::string notes(const ExperimentResult& result, Kind kind, Language in) {
    std::string out;
    for (const WayResult& way : result.ways) {
        if (way.kind != kind) {
            continue;
        }
        if (way.absent) {
            out += fmt::format("<li><code>{}</code>: {}</li>\n", escaped(way.way->name),
                               escaped(not_on(*way.way, kind, *way.absent).in(in)));
            continue;
        }
        for (const Text& name : figure_names({&way})) {
            const auto values = by_round(way, name);
            if (!values.empty()) {
                out += fmt::format("<li>{}</li>\n",
                                   escaped(round_by_round(way.way->name, name, values).in(in)));
            }
        }
    }
    return out.empty() ? "" : "<ul class=\"note\">\n" + out + "</ul>\n";
}

std::string on_database(const ExperimentResult& result, Kind kind, Language in) {
    std::vector<const WayResult*> played;
    for (const WayResult& way : result.ways) {
        if (way.kind == kind && !way.absent) {
            played.push_back(&way);
        }
    }
    std::string out = fmt::format("<h3>{} <small>{}</small></h3>\n<div class=\"plots\">\n",
                                  name_of(kind), usual_level(kind));
    out += plots_of(played, in) + "</div>\n" + notes(result, kind, in);
    for (const WayResult* way : telling_ways(result, kind)) {
        out += lanes_of(*way, in);
    }
    return out;
}

std::string verdict(const ExperimentResult& result, Language in) {
    const auto missed = result.missed();
    if (missed.empty() && !was_played(result)) {
        return fmt::format("<p class=\"note\">{}</p>\n", labels::not_played.in(in));
    }
    if (missed.empty()) {
        return fmt::format("<p class=\"good\">✓ {}</p>\n", labels::as_expected.in(in));
    }
    std::string out;
    for (const Text& each : missed) {
        out += fmt::format("<p class=\"bad\">✗ {}: {}</p>\n", labels::not_as_expected.in(in),
                           escaped(each.in(in)));
    }
    return out;
}

std::string section(const ExperimentResult& result, Language in) {
    const Experiment& experiment = *result.experiment;
    std::string out = fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-question\">\n"
        "<h2 id=\"{0}-question\"><span>{0}</span> {1}</h2>\n{2}<dl>\n"
        "<dt>{3}</dt><dd>{4}</dd>\n<dt>{5}</dt><dd>{6}</dd>\n</dl>\n",
        escaped(experiment.id), escaped(experiment.question.in(in)), verdict(result, in),
        labels::setting.in(in), escaped(experiment.setting.in(in)), labels::expectation.in(in),
        escaped(experiment.expectation.in(in)));
    if (!result.locks.empty()) {
        out += fmt::format("<p class=\"note\">{}: {}</p>\n", labels::locks.in(in),
                           escaped(result.locks.in(in)));
    }
    out += ways_table(experiment, in);
    for (const Kind kind : kinds_of(result)) {
        out += on_database(result, kind, in);
    }
    return out + "</section>\n";
}

}  // namespace

std::string html_of(const std::vector<ExperimentResult>& results, Language language,
                    std::string_view when, std::string_view version) {
    const auto missed = static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(),
                      [](const ExperimentResult& result) { return !result.missed().empty(); }));
    std::string out = head(language);
    out +=
        fmt::format("<header>\n<h1>{}</h1>\n<p>{} <time>{}</time> · passbook {}</p>\n</header>\n",
                    labels::lab.in(language), escaped(summary(results.size(), missed).in(language)),
                    escaped(when), escaped(version));
    out += tallies(results, language) + contents(results, language) + "<main>\n";
    for (const ExperimentResult& result : results) {
        out += section(result, language);
    }
    return out + fmt::format("</main>\n<script>\n{}</script>\n</body>\n</html>\n", page.at(1));
}

}  // namespace passbook::lab
