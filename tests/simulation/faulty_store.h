// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "store/store.h"
#include "tests/simulation/weather.h"

namespace passbook::simulation {

/// The store, as one that servers share and that a bad link leads to: conflicts, refused
/// connections, COMMITs whose outcome nobody is told, before and after they took effect. All must
/// outlive it.
class FaultyStore final : public store::Store {
public:
    FaultyStore(store::Store& inner, Weather& weather) : inner_(inner), weather_(weather) {}

    [[nodiscard]] std::string describe() const override {
        return inner_.describe();
    }
    [[nodiscard]] std::size_t writers_max() const override {
        return inner_.writers_max();
    }
    [[nodiscard]] bool shared() const override {
        return true;
    }
    [[nodiscard]] bool guards_keys() const override {
        return true;
    }
    [[nodiscard]] std::unique_ptr<store::Writer> writer() override;
    [[nodiscard]] std::unique_ptr<store::Reader> reader() override {
        return inner_.reader();
    }

private:
    store::Store& inner_;
    Weather& weather_;
};

}  // namespace passbook::simulation
