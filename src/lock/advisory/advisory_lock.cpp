// SPDX-License-Identifier: Apache-2.0
#include "lock/advisory/advisory_lock.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

namespace passbook::lock::advisory {
namespace {

using Held = std::unique_ptr<store::Advisory>;

/// The sessions that hold something, by their tokens. Whoever uses one takes it out meanwhile, and
/// others who want it wait: so none is asked, or ended, while `mutex_` is held.
class Sessions {
public:
    /// Null where there is none under this token, or its time has passed.
    Held take_out(const Token& token) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
            const auto found = all_.find(token);
            return found == all_.end() || found->second.held != nullptr;
        });
        const auto found = all_.find(token);
        if (found == all_.end()) {
            return nullptr;
        }
        Held held = std::move(found->second.held);
        if (found->second.until <= Steady::now()) {
            all_.erase(found);
            lock.unlock();
            held.reset();
        }
        return held;
    }

    void put(const Token& token, Held held, Steady::time_point until) {
        {
            const std::lock_guard lock(mutex_);
            all_.insert_or_assign(token, Session{std::move(held), until});
        }
        changed_.notify_all();
    }

    /// After `take_out`: it is no more.
    void forget(const Token& token) {
        {
            const std::lock_guard lock(mutex_);
            all_.erase(token);
        }
        changed_.notify_all();
    }

    /// Ends those whose time has passed and whom nobody asked for.
    void end_old() {
        std::vector<Held> old;  // ended when it goes, behind the mutex
        const std::lock_guard lock(mutex_);
        for (auto session = all_.begin(); session != all_.end();) {
            const bool is_old =
                session->second.held != nullptr && session->second.until <= Steady::now();
            if (is_old) {
                old.push_back(std::move(session->second.held));
            }
            session = is_old ? all_.erase(session) : std::next(session);
        }
    }

private:
    struct Session {
        Held held;  ///< Null while somebody uses it.
        Steady::time_point until;
    };

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Token, Session> all_;  // guarded by mutex_
};

class AdvisoryLock final : public Service {
public:
    explicit AdvisoryLock(std::unique_ptr<store::Advisories> advisories)
        : advisories_(std::move(advisories)) {}

    [[nodiscard]] std::string describe() const override {
        return "advisory locks of " + advisories_->describe();
    }

    [[nodiscard]] Taking take(const Claim& claim, Steady::time_point) override {
        sessions_.end_old();
        try {
            if (Held mine = sessions_.take_out(claim.token)) {
                sessions_.put(claim.token, std::move(mine), Steady::now() + claim.ttl);
                return {.how = Taking::How::taken};
            }
            const auto started = Steady::now();
            Held held = advisories_->take(claim.keys, claim.ttl);
            if (held == nullptr) {
                return {.how = Taking::How::busy};
            }
            sessions_.put(claim.token, std::move(held), started + claim.ttl);
            return {.how = Taking::How::taken};
        } catch (const Failure& failure) {
            // What the session had taken by then goes with it.
            return {.how = Taking::How::unavailable, .why = failure.what()};
        }
    }

    [[nodiscard]] Renewed renew(const Claim& claim, Steady::time_point until) override {
        const auto started = Steady::now();
        Held held = sessions_.take_out(claim.token);
        if (held == nullptr) {
            return is_held(claim) ? Renewed::taken : Renewed::gone;
        }
        try {
            held->keep(std::max(Millis(1), std::chrono::ceil<Millis>(until - started)));
            sessions_.put(claim.token, std::move(held), started + claim.ttl);
            return Renewed::renewed;
        } catch (const Failure&) {
            sessions_.forget(claim.token);
            return Renewed::gone;
        }
    }

    [[nodiscard]] Released release(const Claim& claim, Steady::time_point) override {
        Held held = sessions_.take_out(claim.token);
        if (held == nullptr) {
            return is_held(claim) ? Released::not_owner : Released::already_expired;
        }
        Released released = Released::released;
        try {
            held->release();
        } catch (const Failure&) {
            released = Released::unknown;
        }
        sessions_.forget(claim.token);
        return released;
    }

    [[nodiscard]] std::optional<Look> look(const std::string& key, Steady::time_point) override {
        try {
            return Look{.held = advisories_->is_held(key)};
        } catch (const Failure&) {
            return std::nullopt;
        }
    }

private:
    /// By somebody else, for our session is no more. Where nobody answers it is not ours either.
    [[nodiscard]] bool is_held(const Claim& claim) {
        try {
            return std::any_of(claim.keys.begin(), claim.keys.end(),
                               [&](const std::string& key) { return advisories_->is_held(key); });
        } catch (const Failure&) {
            return false;
        }
    }

    const std::unique_ptr<store::Advisories> advisories_;
    Sessions sessions_;
};

}  // namespace

std::unique_ptr<Service> open(std::unique_ptr<store::Advisories> advisories) {
    advisories->check_sessions();
    return std::make_unique<AdvisoryLock>(std::move(advisories));
}

}  // namespace passbook::lock::advisory
