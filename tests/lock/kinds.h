// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include "lock/lock.h"

/// What every kind of lock must do, held against each of them: a kind takes part by instantiating
/// LockContract (see local_lock.cpp).

namespace passbook::lock_tests {

using lock::Acquired;
using lock::Answer;
using lock::Claim;
using lock::Guard;
using lock::Locks;
using lock::Look;
using lock::Loss;
using lock::Millis;
using lock::Released;
using lock::Renewed;
using lock::Service;
using lock::Settings;
using lock::Steady;
using lock::Taking;
using lock::Ticket;
using lock::Token;

/// Where the keys of one test are kept, gone with it.
class World {
public:
    virtual ~World() = default;
    /// As a process of its own would open it.
    [[nodiscard]] virtual std::unique_ptr<Service> service() = 0;
};

/// One whose keys are kept by a server of loopback.
class ServerWorld : public World {
public:
    [[nodiscard]] virtual std::string url() const = 0;
    /// As `service`, at a URL that may lead there through a network of ours.
    [[nodiscard]] virtual std::unique_ptr<Service> open(const std::string& url) const = 0;

    [[nodiscard]] std::unique_ptr<Service> service() final {
        return open(url());
    }
};

struct Kind {
    std::string name;
    std::function<std::unique_ptr<World>()> make;
    int races = 1'000;              ///< Fewer where each is a few commits.
    bool is_bound_to_link = false;  ///< A link that breaks is a loss.

    friend std::ostream& operator<<(std::ostream& out, const Kind& kind) {
        return out << kind.name;
    }
};

[[nodiscard]] inline std::string name_of(const testing::TestParamInfo<Kind>& info) {
    return info.param.name;
}

/// Short, and still long enough for a machine that is busy otherwise.
inline Settings quick() {
    return {.ttl = Millis(1'500),
            .margin = Millis(200),
            .io_timeout = Millis(400),
            .hold_max = Millis(60'000),
            .poll_max = Millis(300)};
}

/// Looks until it holds or 10 s have passed.
template <class Condition>
[[nodiscard]] bool eventually(Condition holds) {
    const auto until = Steady::now() + std::chrono::seconds(10);
    while (!holds()) {
        if (Steady::now() > until) {
            return false;
        }
        std::this_thread::sleep_for(Millis(5));
    }
    return true;
}

template <class Work>
[[nodiscard]] Millis time_of(Work work) {
    const auto began = Steady::now();
    work();
    return std::chrono::duration_cast<Millis>(Steady::now() - began);
}

}  // namespace passbook::lock_tests
