// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

#include "tests/lock/kinds.h"
#include "tests/lock/proxy.h"

namespace passbook::lock_tests {

/// What every kind of lock whose keys are kept by a server must do when the network to it fails. A
/// kind takes part by instantiating it, as LockContract.
class CutOff : public testing::TestWithParam<Kind> {
protected:
    CutOff()
        : made_(GetParam().make()),
          world(dynamic_cast<ServerWorld&>(*made_)),
          proxy(port_of(world.url())),
          a(std::in_place, through_proxy(), quick()),
          b(world.service(), quick()) {}

    [[nodiscard]] std::unique_ptr<Service> through_proxy() const {
        return world.open(at_port(world.url(), proxy.port()));
    }
    [[nodiscard]] static Guard held(Locks& by, Millis wait = {}) {
        auto answer = by.acquire({{"k"}, wait});
        if (!answer.what) {
            throw std::runtime_error(std::string(lock::name_of(answer.result)) + answer.why);
        }
        return std::move(*answer.what);
    }
    /// Breaks every connection, and lets in none meanwhile.
    void cut_for(Millis time) {
        proxy.set_down(true);
        std::this_thread::sleep_for(time);
        proxy.set_down(false);
    }

private:
    std::unique_ptr<World> made_;

protected:
    ServerWorld& world;
    Proxy proxy;
    std::optional<Locks> a;  ///< Behind the network.
    Locks b;
};

}  // namespace passbook::lock_tests
