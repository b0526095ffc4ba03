// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "lock/counters.h"
#include "lock/service.h"
#include "lock/settings.h"

namespace passbook::lock {

/// What a holder holds, shared by the holder and the keeper.
///
/// Thread safety: `claim`, `fences`, `since` and `hold_until` never change. The atomics are written
/// by the keeper alone, with its mutex held, and read by anybody. `stop` is thread-safe by itself.
struct Held {
    Held(Claim of, std::vector<std::int64_t> minted, Steady::time_point until)
        : claim(std::move(of)), fences(std::move(minted)), hold_until(until) {}

    Claim claim;
    std::vector<std::int64_t> fences;  ///< As the keys; empty where none was minted.
    Steady::time_point since = Steady::now();
    Steady::time_point hold_until;
    std::stop_source stop;

    std::atomic<Steady::time_point> valid_until{};
    std::atomic<int> loss{-1};  ///< A Loss, or none yet.

    [[nodiscard]] bool valid() const noexcept {
        return loss.load() < 0 && Steady::now() < valid_until.load();
    }
    [[nodiscard]] std::optional<Loss> lost() const noexcept;
};

/// What a line of the log says of an acquisition, where the fences are not known without them.
[[nodiscard]] std::string described(const Token& token, const std::vector<std::int64_t>& fences);

/// Keeps what is held: renews it, and tells the holder in time when it is lost. Also cleans up what
/// may have been left in the service by a request that was never answered.
///
/// Two threads, so that what must be in time never waits for what may hang:
///   - the renewer asks the service, one request after the other, each with a hard time-out;
///   - the watch never asks anybody anything: it sleeps until the next deadline, and tells holders
///     of their loss, whoever found it.
/// Both work on one list under one mutex, which is held for no request and no callback. What the
/// renewer brings back is dropped where the holder has let go or lost meanwhile, so a late answer
/// revives nothing; and a renewal that overtakes a release, or is overtaken, does no harm, for the
/// service renews only what is still there under the same token.
/// One pass looks at every entry: a process holds tens of locks, not tens of thousands.
class Keeper {
public:
    /// All must outlive it.
    Keeper(Service& service, const Settings& settings, Counters& counters);
    /// Stops.
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    // Any thread, and also behind `stop`.

    /// Keeps from here on. `started`: when the request that took it was sent.
    void keep(const std::shared_ptr<Held>& held, Steady::time_point started);

    /// To be called before the release: from here on no renewal and no telling of a loss begins.
    void let_go(const Held& held);

    /// Frees what the claim may have left in the service, by compare, until it is known to be gone
    /// or its TTL has passed.
    void clean_up(Claim claim);

    /// All holders lose what they hold, reason `shutdown`; behind this no callback of theirs runs.
    /// Idempotent. Not from a callback.
    void stop();

private:
    struct Entry {
        std::shared_ptr<Held> held;
        Steady::time_point renew_at;
        bool unanswered = false;  ///< Since the last renewal one was asked for in vain.
        bool told = false;
    };
    struct Leftover {
        Claim claim;
        Steady::time_point until;
        Steady::time_point ask_at;
    };

    void run_renewer();
    void run_watch();
    void renew(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Held>& held);
    void clean(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] Entry* find(const Held& held);
    [[nodiscard]] std::vector<std::shared_ptr<Held>> newly_lost(Steady::time_point& next);
    void tell(const Held& held) const;
    [[nodiscard]] Steady::time_point deadline(const Held& held, Steady::time_point started) const;

    Service& service_;
    const Settings settings_;
    Counters& counters_;

    std::mutex mutex_;
    std::condition_variable to_renewer_;
    std::condition_variable to_watch_;
    std::list<Entry> entries_;  // guarded by mutex_, as all below
    std::list<Leftover> leftovers_;
    bool stopping_ = false;

    std::thread renewer_;
    std::thread watch_;
};

}  // namespace passbook::lock
