// SPDX-License-Identifier: Apache-2.0
#include "lab/report_json.h"

#include "http/json_writer.h"
#include "lab/figures.h"
#include "lab/tally.h"

namespace passbook::lab {
namespace {

using http::JsonWriter;

void write(JsonWriter& json, const char* name, const std::optional<std::int64_t>& number) {
    json.name(name);
    if (number) {
        json.number(*number);
    } else {
        json.null();
    }
}

void write(JsonWriter& json, const Round& round) {
    json.begin_object();
    json.name("failure");
    if (round.failure.empty()) {
        json.null();
    } else {
        json.text(round.failure.in(Language::english));
    }
    json.name("accepted").number(round.accepted).name("refused").number(round.refused);
    write(json, "balance", round.balance);
    write(json, "entries_sum", round.entries_sum);
    json.name("micros").number(
        std::chrono::duration_cast<std::chrono::microseconds>(round.time).count());
    json.name("figures").begin_object();
    for (const Round::Figure& figure : round.figures) {
        json.name(figure.name.in(Language::english)).number(figure.value);
    }
    json.end_object().end_object();
}

void write_waits(JsonWriter& json, const WayResult& result) {
    const auto micros = [](std::chrono::nanoseconds time) {
        return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    };
    if (const auto waits = waits_of(result)) {
        json.name("latency_micros").begin_object();
        json.name("p50").number(micros(waits->half)).name("p95").number(micros(waits->most));
        json.name("max").number(micros(waits->longest));
        json.name("count").number(static_cast<std::int64_t>(waits->count)).end_object();
    }
}

void write(JsonWriter& json, const WayResult& result) {
    json.begin_object().name("way").text(result.way->name);
    json.name("database").text(name_of(result.kind)).name("level").text(usual_level(result.kind));
    json.name("promise").text(name_of(result.way->promise));
    if (result.absent) {
        json.name("absent").text(result.absent->in(Language::english)).end_object();
        return;
    }
    json.name("failed").number(static_cast<std::int64_t>(result.failed()));
    write_waits(json, result);
    json.name("rounds").begin_array();
    for (const Round& round : result.rounds) {
        write(json, round);
    }
    json.end_array().end_object();
}

void write(JsonWriter& json, const Tally& tally) {
    const auto number = [](std::size_t count) {
        return static_cast<std::int64_t>(count);
    };
    json.begin_object().name("database").text(name_of(tally.kind));
    json.name("unsafe").number(number(tally.unsafe)).name("failed").number(number(tally.failed));
    json.name("guarded").number(number(tally.guarded)).name("held").number(number(tally.held));
    json.name("rounds").number(number(tally.rounds)).end_object();
}

void write_heading(JsonWriter& json, const Experiment& experiment) {
    json.name("id")
        .text(experiment.id)
        .name("question")
        .text(experiment.question.in(Language::english));
    json.name("setting").text(experiment.setting.in(Language::english));
    json.name("expectation").text(experiment.expectation.in(Language::english));
}

}  // namespace

std::string json_of(const std::vector<ExperimentResult>& results) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().name("experiments").begin_array();
    for (const ExperimentResult& result : results) {
        const auto missed = result.missed();
        json.begin_object();
        write_heading(json, *result.experiment);
        json.name("passed").boolean(missed.empty()).name("missed").begin_array();
        for (const Text& each : missed) {
            json.text(each.in(Language::english));
        }
        json.end_array();
        if (!result.locks.empty()) {
            json.name("locks").text(result.locks.in(Language::english));
        }
        json.name("ways").begin_array();
        for (const WayResult& way : result.ways) {
            write(json, way);
        }
        json.end_array().end_object();
    }
    json.end_array().name("databases").begin_array();
    for (const Tally& tally : tallies_of(results)) {
        write(json, tally);
    }
    json.end_array().end_object();
    return out;
}

std::string json_of(const std::vector<Experiment>& experiments) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().name("experiments").begin_array();
    for (const Experiment& experiment : experiments) {
        json.begin_object();
        write_heading(json, experiment);
        json.name("ways").begin_array();
        for (const Way& way : experiment.ways) {
            json.begin_object().name("way").text(way.name);
            json.name("promise")
                .text(name_of(way.promise))
                .name("how")
                .text(way.how.in(Language::english))
                .end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().end_object();
    return out;
}

}  // namespace passbook::lab
