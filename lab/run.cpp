// SPDX-License-Identifier: Apache-2.0
#include "lab/run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>

#include "lab/meeting.h"
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

/// How far a run is, and whether it goes on. Any thread.
class Course {
public:
    Course(const Experiment& experiment, const RunOptions& options)
        : options_(options),
          rounds_(static_cast<std::size_t>(experiment.rounds)),
          each_(experiment.ways.size() * rounds_),
          done_(options.places.size()) {}

    /// Before a round of that way, of which so many have been played there. Throws Stopped.
    void goes_on(std::size_t place, std::size_t way, std::size_t played) {
        const std::lock_guard lock(mutex_);
        is_over_ = is_over_ || options_.stop();
        if (is_over_) {
            throw Stopped("stopped");
        }
        done_[place] = way * rounds_ + std::min(played, rounds_);
        options_.progress(std::accumulate(done_.begin(), done_.end(), std::size_t{0}),
                          each_ * done_.size());
    }
    /// One place cannot go on: nor need the others.
    void end() {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }

private:
    const RunOptions& options_;
    const std::size_t rounds_;
    const std::size_t each_;
    std::mutex mutex_;
    std::vector<std::size_t> done_;  // guarded by mutex_
    bool is_over_ = false;           // guarded by mutex_
};

std::vector<WayResult> play_at(std::size_t number, const Experiment& experiment,
                               const RunOptions& options, Course& course) try {
    Place& place = *options.places[number];
    const std::string redis =
        options.redis.empty() ? "" : redis_below(options.redis, name_of(place.kind()));
    std::vector<WayResult> results;
    for (const Way& way : experiment.ways) {
        const std::size_t before = results.size();
        results.push_back(
            {.way = &way, .kind = place.kind(), .absent = absence(way, place, options)});
        WayResult& played = results.back();
        while (!played.absent && !is_enough(experiment, played)) {
            course.goes_on(number, before, played.rounds.size());
            play_round(played, place, redis);
            if (!redis.empty()) {
                RedisLink(redis).wipe();  // The next round begins without locks.
            }
        }
    }
    return results;
} catch (...) {
    course.end();
    throw;
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
    Course course(experiment, options);
    std::vector<std::vector<WayResult>> played(options.places.size());
    const auto play = [&](std::size_t place) {
        played[place] = play_at(place, experiment, options, course);
    };
    if (experiment.is_measured) {
        for (std::size_t place = 0; place < played.size(); ++place) {
            play(place);
        }
    } else {
        together(played.size(), play);
    }
    for (auto& ways : played) {
        std::move(ways.begin(), ways.end(), std::back_inserter(result.ways));
    }
    return result;
}

}  // namespace passbook::lab
