// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lock/lock.h"
#include "lock/service.h"
#include "tests/simulation/weather.h"

namespace passbook::simulation {

/// What keeps the keys for all processes of a run, and may forget them.
class Keys {
public:
    Keys(lock::Service& service, Weather& weather) : service_(service), weather_(weather) {}

    [[nodiscard]] lock::Service& service() noexcept {
        return service_;
    }
    [[nodiscard]] Weather& weather() noexcept {
        return weather_;
    }
    /// New ones above all before.
    [[nodiscard]] std::vector<std::int64_t> mint(const std::vector<std::string>& keys);

    /// A claim that may be held, so that it can be forgotten.
    void note(const lock::Claim& claim);

    /// As a lock service that was wiped: whoever holds a key does not know.
    void forget_all();
    /// How often that was.
    [[nodiscard]] int forgot() const noexcept {
        return forgot_;
    }

private:
    lock::Service& service_;
    Weather& weather_;
    std::vector<lock::Claim> claims_;
    std::int64_t last_fence_ = 0;
    int forgot_ = 0;
};

/// The way of one process to the keys: slow, and with requests and answers that are lost.
class FaultyService final : public lock::Service {
public:
    explicit FaultyService(Keys& keys) : keys_(keys) {}

    [[nodiscard]] std::string describe() const override {
        return "simulated";
    }
    [[nodiscard]] lock::Taking take(const lock::Claim& claim,
                                    lock::Steady::time_point until) override;
    [[nodiscard]] lock::Renewed renew(const lock::Claim& claim,
                                      lock::Steady::time_point until) override;
    [[nodiscard]] lock::Released release(const lock::Claim& claim,
                                         lock::Steady::time_point until) override;
    [[nodiscard]] std::optional<lock::Look> look(const std::string& key,
                                                 lock::Steady::time_point until) override;

private:
    enum class Way { there_and_back, there, nowhere };
    [[nodiscard]] Way travel(lock::Steady::time_point until);
    void travel_back(lock::Steady::time_point until);

    Keys& keys_;
};

}  // namespace passbook::simulation
