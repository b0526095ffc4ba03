// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/lock/kinds.h"

namespace passbook::lock_tests {

/// Two processes, as far as a lock can tell, that want the same keys.
class LockContract : public testing::TestWithParam<Kind> {
protected:
    LockContract() : world_(GetParam().make()), a(process()), b(process()) {}

    [[nodiscard]] std::unique_ptr<Service> service() {
        return world_->service();
    }
    [[nodiscard]] Locks process(const Settings& settings = quick()) {
        return Locks(service(), settings);
    }

    /// Where it must be ours.
    [[nodiscard]] static Guard held(Locks& by, std::vector<std::string> keys, Millis wait = {}) {
        auto answer = by.acquire({.keys = std::move(keys), .wait = wait});
        if (!answer.what) {
            throw std::runtime_error(std::string(lock::name_of(answer.result)) + answer.why);
        }
        return std::move(*answer.what);
    }

    [[nodiscard]] static bool is_free(Locks& to, const std::string& key) {
        const auto look = to.look(key);
        return look && !look->held;
    }

private:
    std::unique_ptr<World> world_;

protected:
    // Behind the world, so that they go before it.
    Locks a;
    Locks b;
};

}  // namespace passbook::lock_tests
