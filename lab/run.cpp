// SPDX-License-Identifier: Apache-2.0
#include "lab/run.h"

#include <algorithm>
#include <map>

#include "lab/redis_link.h"

namespace passbook::lab {
namespace {

/// Why the way does not exist at that place; nothing where it does.
std::optional<Text> absence(const Way& way, const Place& place, const RunOptions& options) {
    if (way.needs_redis && options.redis.empty()) {
        return Text("it needs a Redis, named by --redis redis://HOST:PORT",
                    "Redis가 있어야 한다: --redis redis://HOST:PORT");
    }
    const auto found = std::find_if(way.absences.begin(), way.absences.end(),
                                    [&](const Absence& a) { return a.kind == place.kind(); });
    if (found != way.absences.end()) {
        return found->why;
    }
    return way.needs_standby && !place.has_standby()
               ? std::optional<Text>(
                     {"name a standby with --standby URL", "--standby URL로 대기 서버를 지정한다"})
               : std::nullopt;
}

bool is_enough(const Experiment& experiment, const WayResult& result) {
    const auto played = static_cast<int>(result.rounds.size());
    const bool still_to_fail = result.way->promise == Promise::unsafe && result.failed() == 0;
    return played >= rounds_max || (played >= experiment.rounds && !still_to_fail) ||
           (played > 0 && !result.rounds.back().surprise.empty());
}

void play_round(WayResult& result, Place& place, const std::string& redis) {
    Stage stage(place);
    stage.set_redis(redis);
    const bool failed_before = result.failed() > 0;
    Round round = result.way->play(stage);
    const bool is_first_failure = !failed_before && !round.failure.empty();
    result.rounds.push_back(std::move(round));
    if (result.rounds.size() == 1 || is_first_failure) {
        result.telling = result.rounds.size() - 1;
        result.happenings = stage.timeline().happenings();
        result.lanes = stage.timeline().lanes();
    }
}

}  // namespace

std::size_t WayResult::failed() const {
    return static_cast<std::size_t>(std::count_if(
        rounds.begin(), rounds.end(), [](const Round& r) { return !r.failure.empty(); }));
}

std::optional<Text> WayResult::missed() const {
    for (const Round& round : rounds) {
        if (!round.surprise.empty()) {
            return say("{}: {}", "{}: {}", way->name, round.surprise);
        }
        if (way->promise == Promise::guarded && !round.failure.empty()) {
            return say("{} did not hold: {}", "{}: 지켜지지 않음: {}", way->name, round.failure);
        }
    }
    if (way->promise == Promise::unsafe && !absent && failed() == 0) {
        return say("{} was not seen to fail in {} rounds", "{}: {}회차 안에 실패가 나타나지 않음",
                   way->name, rounds.size());
    }
    return std::nullopt;
}

std::vector<Text> ExperimentResult::missed() const {
    std::vector<Text> all;
    std::map<Kind, std::vector<Round>> last;
    for (const WayResult& way : ways) {
        if (const auto missed = way.missed()) {
            all.push_back(say("{} on {}", "{} ({})", *missed, name_of(way.kind)));
        }
        if (!way.rounds.empty()) {
            last[way.kind].push_back(way.rounds.back());
        }
    }
    for (const auto& [kind, rounds] : last) {
        const Text unlike = experiment->compare ? experiment->compare(rounds) : Text();
        if (!unlike.empty()) {
            all.push_back(say("{} on {}", "{} ({})", unlike, name_of(kind)));
        }
    }
    return all;
}

ExperimentResult run(const Experiment& experiment, const RunOptions& options) {
    ExperimentResult result{&experiment, {}};
    if (experiment.has_locks) {
        result.locks = options.redis.empty()
                           ? Text("leases of the store, and for the trade's ways a table of locks",
                                  "저장소의 임차, 흔한 방식들에는 락 테이블")
                           : verbatim(shown_redis(options.redis));
    }
    const auto rounds = static_cast<std::size_t>(experiment.rounds);
    const std::size_t total = options.places.size() * experiment.ways.size() * rounds;
    for (const auto& place : options.places) {
        for (const Way& way : experiment.ways) {
            const std::size_t done = result.ways.size() * rounds;
            result.ways.push_back(
                {.way = &way, .kind = place->kind(), .absent = absence(way, *place, options)});
            WayResult& played = result.ways.back();
            while (!played.absent && !is_enough(experiment, played)) {
                if (options.stop()) {
                    throw Stopped("stopped");
                }
                options.progress(done + std::min(played.rounds.size(), rounds), total);
                play_round(played, *place, options.redis);
                if (!options.redis.empty()) {
                    RedisLink(options.redis).wipe();  // The next round begins without locks.
                }
            }
        }
    }
    return result;
}

}  // namespace passbook::lab
