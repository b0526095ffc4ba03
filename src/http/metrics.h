// SPDX-License-Identifier: Apache-2.0
// What the server and the lanes count, in the text form that Prometheus reads. docs/metrics.txt
// lists every name; a test holds it there.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "base/counters.h"
#include "engine/engine.h"
#include "http/server.h"
#include "lock/lock.h"

namespace passbook::http {

inline constexpr std::string_view metrics_media_type = "text/plain; version=0.0.4; charset=utf-8";

/// Answered requests by route, method and status. Any thread. Labels come from our own words alone:
/// a client cannot make new ones.
class HttpMetrics {
public:
    void note(const Exchange& exchange);

    using Series = std::tuple<std::string_view, std::string_view, int>;  ///< route, method, status

    [[nodiscard]] std::map<Series, std::uint64_t> requests() const;

    /// Calls `visit(route, histogram)` for every route that was answered, in micros.
    template <class Visit>
    void for_each_route(Visit visit) const {
        const std::scoped_lock lock(mutex_);
        for (const auto& [route, histogram] : micros_) {
            visit(route, histogram);
        }
    }

private:
    mutable std::mutex mutex_;
    std::map<Series, std::uint64_t> requests_;      // guarded by mutex_
    std::map<std::string_view, Histogram> micros_;  // guarded by mutex_
};

/// `locks`: null where the server has no lock service, whose metrics are then all zero.
[[nodiscard]] std::string metrics_text(const HttpMetrics& http, const engine::Engine& engine,
                                       const lock::Locks* locks);

}  // namespace passbook::http
