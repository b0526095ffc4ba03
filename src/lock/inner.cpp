// SPDX-License-Identifier: Apache-2.0
#include "lock/inner.h"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <algorithm>
#include <random>

#include "base/failure.h"

namespace passbook::lock {
namespace {

constexpr Millis poll_min{10};

/// When to ask again unless a hint comes first: at random until the holder's time ends or the
/// longest pause is over, so that those who were turned away together do not come back together.
Steady::time_point ask_again(Millis left, Millis poll_max) {
    static thread_local std::minstd_rand random{std::random_device{}()};
    const Millis most = left > Millis(0) ? std::min(left + poll_min, poll_max) : poll_max;
    std::uniform_int_distribution<Millis::rep> pause(poll_min.count(),
                                                     std::max(most, poll_min).count());
    return Steady::now() + Millis(pause(random));
}

std::uint64_t micros_since(Steady::time_point then) {
    const auto passed = Steady::now() - then;
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
}

spdlog::level::level_enum usual_level(const Settings& settings) {
    return settings.routine ? spdlog::level::debug : spdlog::level::info;
}

/// One stop of two: the caller's and the process'.
class Either {
public:
    Either(const std::stop_token& one, const std::stop_token& other)
        : on_one_(one, Ask{source_}), on_other_(other, Ask{source_}) {}

    [[nodiscard]] std::stop_token token() const {
        return source_.get_token();
    }

private:
    struct Ask {
        std::stop_source source;
        void operator()() {
            source.request_stop();
        }
    };

    std::stop_source source_;
    std::stop_callback<Ask> on_one_;
    std::stop_callback<Ask> on_other_;
};

}  // namespace

Answer<Taken> Inner::take(Claim claim, Millis wait, const std::stop_token& cancel) {
    const auto began = Steady::now();
    const Either stop(cancel, stopping.get_token());
    auto answer = take_in_line(claim, began + wait, stop.token());
    Counters::add(counters.attempts, answer.result);
    counters.wait_micros.add(micros_since(began));
    if (answer.what) {
        spdlog::log(usual_level(settings), "lock {} acquired: {}", fmt::join(claim.keys, " "),
                    described(claim.token, answer.what->fences));
    } else if (answer.result == Acquired::unavailable) {
        spdlog::warn("lock {} unavailable: {}", fmt::join(claim.keys, " "), answer.why);
    }
    return answer;
}

Answer<Taken> Inner::take_in_line(const Claim& claim, Steady::time_point until,
                                  const std::stop_token& stop) {
    const bool waits = until > Steady::now();
    const auto give_in = [&](Millis left) -> Answer<Taken> {
        return {.result = waits ? Acquired::timeout : Acquired::busy, .left = left};
    };
    Line::Place place(line, claim.keys);
    if (!place.await_turn(until, stop) && !stop.stop_requested()) {
        return give_in(Millis(0));  // somebody of this process is asking for it already
    }
    while (!stop.stop_requested()) {
        const auto hints = place.hints();
        const auto started = Steady::now();
        Taking taking = service->take(claim, started + settings.io_timeout);
        if (taking.lacks_replicas) {
            counters.lacking_replicas.add();
            spdlog::warn("lock {}: too few replicas have acknowledged it",
                         fmt::join(claim.keys, " "));
        }
        if (taking.how != Taking::How::busy) {
            auto answer = settle(claim, std::move(taking), started);
            if (answer.what && stop.stop_requested()) {
                (void)release(claim, answer.what->fences);
                return {.result = Acquired::cancelled};
            }
            return answer;
        }
        if (Steady::now() >= until) {
            return give_in(taking.left);
        }
        service->give_hints([this](std::string_view key) { line.hint(key); });
        place.rest(hints, std::min(until, ask_again(taking.left, settings.poll_max)), stop);
    }
    return {.result = Acquired::cancelled};
}

/// What an answer other than "busy" is worth.
Answer<Taken> Inner::settle(const Claim& claim, Taking taking, Steady::time_point started) {
    if (taking.how == Taking::How::unavailable) {
        return {.result = Acquired::unavailable, .why = std::move(taking.why)};
    }
    if (taking.how == Taking::How::unknown) {
        return give_up(claim, std::move(taking.why));
    }
    if (taking.fences.empty() && mint && claim.fenced) {
        try {
            taking.fences = mint(claim.keys);
        } catch (const Failure& failure) {
            return give_up(claim, fmt::format("no fence: {}", failure.what()));
        }
    }
    // A request that took most of the TTL may have been answered in time and read too late.
    if (Steady::now() >= settings.deadline(started, claim.ttl)) {
        return give_up(claim, "the answer came too late to be of use");
    }
    return {.result = Acquired::acquired, .what = Taken{claim, std::move(taking.fences), started}};
}

/// For keys that may be ours, and that nobody is told of.
Answer<Taken> Inner::give_up(const Claim& claim, std::string why) {
    keeper.clean_up(claim);
    return {.result = Acquired::unavailable, .why = std::move(why)};
}

Released Inner::release(const Claim& claim, const std::vector<std::int64_t>& fences) noexcept {
    const Released released = service->release(claim, Steady::now() + settings.io_timeout);
    Counters::add(counters.releases, released);
    if (released == Released::unknown) {
        keeper.clean_up(claim);
    }
    for (const std::string& key : claim.keys) {
        line.hint(key);  // who waits in this process need not wait for the service to say so
    }
    spdlog::log(released == Released::released ? usual_level(settings) : spdlog::level::warn,
                "lock {} let go: {}, {}", fmt::join(claim.keys, " "), name_of(released),
                described(claim.token, fences));
    return released;
}

}  // namespace passbook::lock
