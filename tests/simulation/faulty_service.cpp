// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/faulty_service.h"

#include <algorithm>
#include <chrono>

#include "base/failure.h"

namespace passbook::simulation {

using lock::Claim;
using lock::Released;
using lock::Renewed;
using lock::Steady;
using lock::Taking;

namespace {

Nanos left_until(Steady::time_point until) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(until - Steady::now()).count();
    return left <= 0 ? 0 : static_cast<Nanos>(left);
}

}  // namespace

std::vector<std::int64_t> Keys::mint(const std::vector<std::string>& keys) {
    weather_.delay(100 * millis);
    if (weather_.strikes("lock: no fence")) {
        throw Failure(FailureKind::unavailable, "no connection");
    }
    std::vector<std::int64_t> fences;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        fences.push_back(++last_fence_);
    }
    return fences;
}

void Keys::note(const Claim& claim) {
    claims_.push_back(claim);
}

void Keys::forget_all() {
    ++forgot_;
    weather_.count("lock: all keys forgotten");
    Scheduler::current()->note("lock: all keys forgotten");
    for (const Claim& claim : claims_) {
        (void)service_.release(claim, Steady::time_point::max());
    }
    claims_.clear();
}

/// How far a request gets within its time. What a service does with it comes between the two ways.
FaultyService::Way FaultyService::travel(Steady::time_point until) {
    Weather& weather = keys_.weather();
    const Nanos left = left_until(until);
    if (left == 0 || weather.strikes("lock: request lost")) {
        Scheduler::current()->sleep(std::max<Nanos>(left, 1));
        return Way::nowhere;
    }
    weather.delay(left);
    return weather.strikes("lock: answer lost") ? Way::there : Way::there_and_back;
}

void FaultyService::travel_back(Steady::time_point until) {
    keys_.weather().delay(std::max<Nanos>(left_until(until), 1));
}

Taking FaultyService::take(const Claim& claim, Steady::time_point until) {
    if (keys_.weather().strikes("lock: unavailable")) {
        return {.how = Taking::How::unavailable, .why = "no connection"};
    }
    const Way way = travel(until);
    if (way == Way::nowhere) {
        return {.how = Taking::How::unknown, .why = "no answer"};
    }
    keys_.note(claim);
    Taking taking = keys_.service().take(claim, until);
    travel_back(until);
    return way == Way::there ? Taking{.how = Taking::How::unknown, .why = "no answer"} : taking;
}

Renewed FaultyService::renew(const Claim& claim, Steady::time_point until) {
    const Way way = travel(until);
    const Renewed renewed =
        way == Way::nowhere ? Renewed::unknown : keys_.service().renew(claim, until);
    travel_back(until);
    return way == Way::there_and_back ? renewed : Renewed::unknown;
}

Released FaultyService::release(const Claim& claim, Steady::time_point until) {
    const Way way = travel(until);
    const Released released =
        way == Way::nowhere ? Released::unknown : keys_.service().release(claim, until);
    return way == Way::there_and_back ? released : Released::unknown;
}

std::optional<lock::Look> FaultyService::look(const std::string& key, Steady::time_point until) {
    return travel(until) == Way::there_and_back ? keys_.service().look(key, until) : std::nullopt;
}

}  // namespace passbook::simulation
