// SPDX-License-Identifier: Apache-2.0
#include "lock/local/local_lock.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace passbook::lock::local {
namespace {

class LocalLock final : public Service {
public:
    [[nodiscard]] std::string describe() const override {
        return "local";
    }

    [[nodiscard]] Taking take(const Claim& claim, Steady::time_point) override {
        const std::lock_guard lock(mutex_);
        const auto now = Steady::now();
        for (const std::string& key : claim.keys) {
            if (const Row* row = find(key, now); row != nullptr && row->token != claim.token) {
                return {.how = Taking::How::busy, .left = left(*row, now)};
            }
        }
        for (const std::string& key : claim.keys) {
            rows_.insert_or_assign(key, Row{claim.token, now + claim.ttl});
        }
        return {.how = Taking::How::taken};
    }

    [[nodiscard]] Renewed renew(const Claim& claim, Steady::time_point) override {
        const std::lock_guard lock(mutex_);
        const auto now = Steady::now();
        for (const std::string& key : claim.keys) {
            const Row* row = find(key, now);
            if (row == nullptr || row->token != claim.token) {
                return row == nullptr ? Renewed::gone : Renewed::taken;
            }
        }
        for (const std::string& key : claim.keys) {
            rows_.find(key)->second.until = now + claim.ttl;
        }
        return Renewed::renewed;
    }

    [[nodiscard]] Released release(const Claim& claim, Steady::time_point) override {
        const std::lock_guard lock(mutex_);
        const auto now = Steady::now();
        Released released = Released::released;
        for (const std::string& key : claim.keys) {
            const Row* row = find(key, now);
            if (row != nullptr && row->token == claim.token) {
                rows_.erase(key);
            } else if (row != nullptr) {
                released = Released::not_owner;
            } else if (released == Released::released) {
                released = Released::already_expired;
            }
        }
        return released;
    }

    [[nodiscard]] std::optional<Look> look(const std::string& key, Steady::time_point) override {
        const std::lock_guard lock(mutex_);
        const auto now = Steady::now();
        const Row* row = find(key, now);
        return row == nullptr ? Look{} : Look{.held = true, .left = left(*row, now)};
    }

private:
    struct Row {
        Token token;
        Steady::time_point until;
    };

    /// Null where nobody holds it; a row whose time has passed goes.
    const Row* find(const std::string& key, Steady::time_point now) {
        const auto found = rows_.find(key);
        if (found == rows_.end()) {
            return nullptr;
        }
        if (found->second.until <= now) {
            rows_.erase(found);
            return nullptr;
        }
        return &found->second;
    }

    static Millis left(const Row& row, Steady::time_point now) {
        return std::chrono::ceil<Millis>(row.until - now);
    }

    std::mutex mutex_;
    std::map<std::string, Row> rows_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<Service> open() {
    return std::make_unique<LocalLock>();
}

}  // namespace passbook::lock::local
