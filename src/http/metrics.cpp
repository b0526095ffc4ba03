// SPDX-License-Identifier: Apache-2.0
#include "http/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <vector>

namespace passbook::http {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

std::string_view known_method(std::string_view method) {
    for (const std::string_view known : {"GET", "HEAD", "PUT", "POST"}) {
        if (method == known) {
            return known;
        }
    }
    return "other";
}

MetricFamily family(std::string name, std::string help, MetricType type) {
    MetricFamily family;
    family.name = std::move(name);
    family.help = std::move(help);
    family.type = type;
    return family;
}

ClientMetric counted(std::uint64_t value) {
    ClientMetric metric;
    metric.counter.value = static_cast<double>(value);
    return metric;
}

ClientMetric gauged(std::uint64_t value) {
    ClientMetric metric;
    metric.gauge.value = static_cast<double>(value);
    return metric;
}

/// `unit` turns the histogram's whole numbers into what the metric is in.
ClientMetric spread(const Histogram& histogram, double unit) {
    ClientMetric metric;
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < Histogram::buckets; ++i) {
        below += histogram.count(i);
        ClientMetric::Bucket bucket;
        bucket.cumulative_count = below;
        bucket.upper_bound = static_cast<double>(Histogram::bound(i)) * unit;
        metric.histogram.bucket.push_back(bucket);
    }
    ClientMetric::Bucket all;
    all.cumulative_count = histogram.total();
    all.upper_bound = std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back(all);
    metric.histogram.sample_count = histogram.total();
    metric.histogram.sample_sum = static_cast<double>(histogram.sum()) * unit;
    return metric;
}

constexpr double seconds_per_micro = 1e-6;

void add_http(std::vector<MetricFamily>& families, const HttpMetrics& http) {
    auto requests = family("passbook_http_requests_total",
                           "Answered requests by route, method and status", MetricType::Counter);
    for (const auto& [series, count] : http.requests()) {
        const auto& [route, method, status] = series;
        ClientMetric metric = counted(count);
        metric.label = {{"method", std::string(method)},
                        {"route", std::string(route)},
                        {"status", std::to_string(status)}};
        requests.metric.push_back(std::move(metric));
    }
    families.push_back(std::move(requests));

    auto seconds = family("passbook_http_request_seconds",
                          "From the last byte of a request to the first of its answer, by route",
                          MetricType::Histogram);
    http.for_each_route([&](std::string_view route, const Histogram& micros) {
        ClientMetric metric = spread(micros, seconds_per_micro);
        metric.label = {{"route", std::string(route)}};
        seconds.metric.push_back(std::move(metric));
    });
    families.push_back(std::move(seconds));
}

void add_commands(std::vector<MetricFamily>& families, const writer::Counters& counters) {
    auto commands = family("passbook_commands_total", "Decided commands by kind and outcome",
                           MetricType::Counter);
    for (std::size_t kind = 0; kind < writer::command_kinds; ++kind) {
        for (std::size_t outcome = 0; outcome < writer::command_outcomes; ++outcome) {
            ClientMetric metric = counted(counters.commands[kind][outcome].value());
            metric.label = {
                {"kind", std::string(writer::kind_name(kind))},
                {"outcome", std::string(name_of(static_cast<writer::CommandOutcome>(outcome)))}};
            commands.metric.push_back(std::move(metric));
        }
    }
    families.push_back(std::move(commands));
}

void add_single(std::vector<MetricFamily>& families, MetricFamily family, ClientMetric metric) {
    family.metric.push_back(std::move(metric));
    families.push_back(std::move(family));
}

void add_retries(std::vector<MetricFamily>& families, const writer::RetryCounts& retries) {
    MetricFamily by_code =
        family("passbook_store_retries_total",
               "Transactions run again, by the database's code for what stopped them",
               MetricType::Counter);
    for (const auto& [code, count] : retries.by_code()) {
        ClientMetric metric = counted(count);
        metric.label = {{"code", code}};
        by_code.metric.push_back(std::move(metric));
    }
    families.push_back(std::move(by_code));
    add_single(families,
               family("passbook_store_deadlocks_total", "Deadlocks among transactions run again",
                      MetricType::Counter),
               counted(retries.deadlocks()));
}

template <class Kind, std::size_t Size>
void add_by(std::vector<MetricFamily>& families, MetricFamily family, const char* label,
            const std::array<Counter, Size>& counts) {
    for (std::size_t i = 0; i < Size; ++i) {
        ClientMetric metric = counted(counts[i].value());
        metric.label = {{label, std::string(name_of(static_cast<Kind>(i)))}};
        family.metric.push_back(std::move(metric));
    }
    families.push_back(std::move(family));
}

void add_locks(std::vector<MetricFamily>& families, const engine::Engine& engine,
               const lock::Locks* locks) {
    static const lock::Counters none;
    // One and the same, where there are both.
    const lock::Locks* either = locks != nullptr ? locks : engine.gate();
    const lock::Counters& counters = either == nullptr ? none : either->counters();
    add_by<writer::Passage>(
        families,
        family("passbook_gate_batches_total",
               "Batches that came to the lock in front of the writes, by how they got past it",
               MetricType::Counter),
        "passage", engine.counters().gate);
    add_by<lock::Acquired>(
        families,
        family("passbook_lock_attempts_total", "Acquisitions by their result", MetricType::Counter),
        "result", counters.attempts);
    add_single(families,
               family("passbook_lock_wait_seconds", "From the call for a lock to its answer",
                      MetricType::Histogram),
               spread(counters.wait_micros, seconds_per_micro));
    add_single(families,
               family("passbook_lock_held_seconds",
                      "From the acquisition by this process to the release or the loss",
                      MetricType::Histogram),
               spread(counters.held_micros, seconds_per_micro));
    add_by<lock::Renewed>(
        families,
        family("passbook_lock_renewals_total", "Renewals by their result", MetricType::Counter),
        "result", counters.renewals);
    add_by<lock::Loss>(families,
                       family("passbook_lock_lost_total", "Locks that were lost, by the reason",
                              MetricType::Counter),
                       "reason", counters.lost);
    add_by<lock::Released>(
        families,
        family("passbook_lock_releases_total", "Releases by their result", MetricType::Counter),
        "result", counters.releases);
    add_single(
        families,
        family("passbook_lock_lacking_replicas_total",
               "Acquisitions that too few replicas had acknowledged in time", MetricType::Counter),
        counted(counters.lacking_replicas.value()));
    add_single(families,
               family("passbook_stale_writes_rejected_total",
                      "Writes of late holders that their fence kept out", MetricType::Counter),
               counted(counters.stale_writes.value()));
    add_single(families,
               family("passbook_lock_waiting", "Callers that wait for a lock", MetricType::Gauge),
               gauged((locks == nullptr ? 0 : locks->waiting()) +
                      (engine.gate() == nullptr ? 0 : engine.gate()->waiting())));
}

}  // namespace

void HttpMetrics::note(const Exchange& exchange) {
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(exchange.took);
    const std::scoped_lock lock(mutex_);
    ++requests_[{exchange.route, known_method(exchange.method), exchange.status}];
    micros_[exchange.route].add(static_cast<std::uint64_t>(micros.count()));
}

std::map<HttpMetrics::Series, std::uint64_t> HttpMetrics::requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
}

std::string metrics_text(const HttpMetrics& http, const engine::Engine& engine,
                         const lock::Locks* locks) {
    const writer::Counters& counters = engine.counters();
    std::vector<MetricFamily> families;
    add_http(families, http);
    add_commands(families, counters);
    add_single(families,
               family("passbook_replays_total", "Commands answered from what is stored",
                      MetricType::Counter),
               counted(counters.replays.value()));
    add_single(
        families,
        family("passbook_refusals_stored", "Refusals stored since the start", MetricType::Gauge),
        gauged(counters.refusals_stored.value()));
    add_single(
        families,
        family("passbook_guards_fired_total",
               "Times the database refused what the decision had allowed", MetricType::Counter),
        counted(counters.guards_fired.value()));
    add_retries(families, counters.retries);
    add_single(
        families,
        family("passbook_batch_size", "Commands per database transaction", MetricType::Histogram),
        spread(counters.batch_size, 1));
    add_single(
        families,
        family("passbook_store_lock_wait_seconds",
               "Time a transaction waits until its accounts are locked", MetricType::Histogram),
        spread(counters.lock_wait_micros, seconds_per_micro));
    add_single(families,
               family("passbook_commit_seconds", "Time to write and commit a batch",
                      MetricType::Histogram),
               spread(counters.commit_micros, seconds_per_micro));
    add_single(families,
               family("passbook_lane_depth", "Commands waiting in the lanes", MetricType::Gauge),
               gauged(engine.depth()));
    add_locks(families, engine, locks);
    return prometheus::TextSerializer().Serialize(families);
}

}  // namespace passbook::http
