// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "store/server.h"

namespace passbook::store {

/// Connections of which each is somebody's alone for a while. Any thread; none is opened, asked or
/// closed while `mutex_` is held.
template <class Connection>
class Spare {
public:
    using Owned = std::unique_ptr<Connection>;

    explicit Spare(std::function<Owned()> open) : open_(std::move(open)) {}

    /// Runs `work(connection)` on a spare one, or where there is none or it broke, on a new one.
    /// What the work returns is returned with the connection it used.
    template <class Work>
    auto use(Work work) {
        if (Owned old = take(); old != nullptr && old->good()) {
            try {
                auto result = work(*old);
                return std::pair(std::move(result), std::move(old));
            } catch (const LinkLost&) {
                old.reset();
            }
        }
        Owned fresh = open_();
        auto result = work(*fresh);
        return std::pair(std::move(result), std::move(fresh));
    }

    void give_back(Owned connection) {
        const std::lock_guard lock(mutex_);
        if (spare_.size() < spare_max) {
            spare_.push_back(std::move(connection));
        }
    }

private:
    static constexpr std::size_t spare_max = 4;

    Owned take() {
        const std::lock_guard lock(mutex_);
        if (spare_.empty()) {
            return nullptr;
        }
        Owned last = std::move(spare_.back());
        spare_.pop_back();
        return last;
    }

    const std::function<Owned()> open_;
    std::mutex mutex_;
    std::vector<Owned> spare_;  // guarded by mutex_
};

}  // namespace passbook::store
