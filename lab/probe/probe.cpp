// SPDX-License-Identifier: Apache-2.0
#include "lab/probe/probe.h"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "lab/meeting.h"

namespace passbook::lab::probe {
namespace {

using SteadyClock = std::chrono::steady_clock;

Amount balance_of(const Probe& probe) {
    http::SingleRequest request(probe.balance_peer, probe.deadline);
    const auto refused = request.connect();
    if (refused) {
        throw CannotTell(fmt::format("the balance cannot be read: {}", *refused));
    }
    const auto response = request.send(probe.balance.filled_in("", 0));
    if (!response) {
        throw CannotTell(fmt::format("the balance cannot be read: {}", response.error()));
    }
    if (response->status != 200) {
        throw CannotTell(fmt::format("the balance cannot be read: status {}", response->status));
    }
    const auto number = number_at(response->body, probe.balance_at);
    if (!number) {
        throw CannotTell(fmt::format("the balance cannot be read: {}", number.error()));
    }
    return *number;
}

/// A place in a meeting, given up by whoever leaves before it has come.
class Seat {
public:
    explicit Seat(Meeting& meeting) : meeting_(&meeting) {}
    ~Seat() {
        if (meeting_ != nullptr) {
            meeting_->drop();
        }
    }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    void wait_once() {
        if (meeting_ != nullptr) {
            std::exchange(meeting_, nullptr)->wait();
        }
    }

private:
    Meeting* meeting_;
};

/// One thread per request on its way; each counts for itself and adds at its end.
class Load {
public:
    explicit Load(const Probe& probe) : probe_(probe) {}

    Outcome fire() {
        const auto threads = static_cast<std::size_t>(std::min(probe_.parallel, probe_.count));
        Meeting connected(threads);
        const auto begun = SteadyClock::now();
        together(threads, [&](std::size_t) { work(connected); });
        total_.time = SteadyClock::now() - begun;
        return std::move(total_);
    }

private:
    /// Whoever has its first connection waits for the others, so that the first requests are sent
    /// together.
    void work(Meeting& connected) {
        Outcome mine;
        Seat seat(connected);
        for (std::int64_t n = ++taken_; n <= probe_.count; n = ++taken_) {
            http::SingleRequest request(probe_.request_peer, probe_.deadline);
            const auto not_connected = request.connect();
            seat.wait_once();
            if (not_connected) {
                ++mine.counts.refused;
                ++mine.not_sent;
                ++mine.answers[*not_connected];
            } else {
                send(request, n, mine);
            }
        }
        add(mine);
    }

    void send(http::SingleRequest& request, std::int64_t n, Outcome& mine) const {
        const std::string key = probe_.keys == Keys::same
                                    ? probe_.key_prefix
                                    : fmt::format("{}-{}", probe_.key_prefix, n);
        const auto begun = SteadyClock::now();
        const auto response = request.send(probe_.request.filled_in(key, n));
        if (!response) {
            ++mine.counts.unknown;
            ++mine.answers[response.error()];
            return;
        }
        mine.waits.push_back(SteadyClock::now() - begun);
        ++mine.answers[std::to_string(response->status)];
        if (probe_.accepted.contains(response->status)) {
            ++mine.counts.accepted;
        } else if (probe_.refused.contains(response->status)) {
            ++mine.counts.refused;
        } else {
            ++mine.counts.unknown;
        }
    }

    void add(const Outcome& mine) {
        const std::lock_guard lock(mutex_);
        total_.counts.accepted += mine.counts.accepted;
        total_.counts.refused += mine.counts.refused;
        total_.counts.unknown += mine.counts.unknown;
        total_.not_sent += mine.not_sent;
        for (const auto& [answer, count] : mine.answers) {
            total_.answers[answer] += count;
        }
        total_.waits.insert(total_.waits.end(), mine.waits.begin(), mine.waits.end());
    }

    const Probe& probe_;
    std::atomic<std::int64_t> taken_ = 0;
    std::mutex mutex_;
    Outcome total_;
};

bool is_wrong(Verdict verdict) noexcept {
    return verdict == Verdict::made || verdict == Verdict::lost || verdict == Verdict::odd;
}

}  // namespace

Outcome run(const Probe& probe) {
    const Amount before = balance_of(probe);
    if (probe.start && *probe.start != before) {
        throw CannotTell(fmt::format("the balance is {} at the beginning, not {}; nothing was sent",
                                     before, *probe.start));
    }
    Outcome outcome = Load(probe).fire();
    outcome.before = before;
    const Terms terms{
        .start = before, .amount = probe.amount, .floor = probe.floor, .keys = probe.keys};
    // A balance may be read from a copy that follows a little later.
    const auto end = SteadyClock::now() + probe.settle;
    for (;;) {
        outcome.after = balance_of(probe);
        outcome.judgement = judge(terms, outcome.counts, outcome.after);
        if (!is_wrong(outcome.judgement.verdict) || SteadyClock::now() >= end) {
            return outcome;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

}  // namespace passbook::lab::probe
