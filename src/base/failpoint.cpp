// SPDX-License-Identifier: Apache-2.0
#include "base/failpoint.h"

#include <unistd.h>
#include <charconv>
#include <csignal>
#include <mutex>
#include <string>
#include <vector>

#include "base/failure.h"

namespace passbook {
namespace failpoint_detail {

std::atomic<bool> armed{false};

}  // namespace failpoint_detail

namespace {

struct Failpoint {
    std::string name;
    int signal = 0;  ///< 0: fails.
    int passes_left = 0;
};

std::mutex mutex;
std::vector<Failpoint> points;

bool parse(std::string_view text, Failpoint& point) {
    const auto equals = text.find('=');
    const auto at = text.find('@', equals == std::string_view::npos ? 0 : equals);
    if (equals == std::string_view::npos || at == std::string_view::npos) {
        return false;
    }
    const auto act = text.substr(equals + 1, at - equals - 1);
    const auto count = text.substr(at + 1);
    point.name = text.substr(0, equals);
    point.signal = act == "kill" ? SIGKILL : act == "stop" ? SIGSTOP : 0;
    const auto read = std::from_chars(count.begin(), count.end(), point.passes_left);
    return !point.name.empty() && (point.signal != 0 || act == "fail") && read.ec == std::errc{} &&
           read.ptr == count.end() && point.passes_left > 0;
}

}  // namespace

void failpoint_detail::passed(std::string_view name) {
    const std::lock_guard lock(mutex);
    for (Failpoint& point : points) {
        if (point.name != name || --point.passes_left != 0) {
            continue;
        }
        if (point.signal != 0) {
            // To this thread, so that it goes no further than this; all others stop with it.
            static_cast<void>(std::raise(point.signal));
            return;
        }
        throw Failure(FailureKind::unavailable, "failpoint " + point.name);
    }
}

bool arm_failpoints(std::string_view text) {
    std::vector<Failpoint> parsed;
    while (!text.empty()) {
        const auto comma = text.find(',');
        Failpoint point;
        if (!parse(text.substr(0, comma), point)) {
            return false;
        }
        parsed.push_back(std::move(point));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    const std::lock_guard lock(mutex);
    points = std::move(parsed);
    failpoint_detail::armed.store(!points.empty());
    return true;
}

}  // namespace passbook
