// SPDX-License-Identifier: Apache-2.0
#include "lock/local/local_lock.h"

#include "tests/lock/contract.h"

namespace passbook::lock_tests {
namespace {

/// One service that several think to be alone with.
class Shared final : public Service {
public:
    explicit Shared(std::shared_ptr<Service> of) : of_(std::move(of)) {}

    [[nodiscard]] std::string describe() const override {
        return of_->describe();
    }
    [[nodiscard]] Taking take(const Claim& claim, Steady::time_point until) override {
        return of_->take(claim, until);
    }
    [[nodiscard]] Renewed renew(const Claim& claim, Steady::time_point until) override {
        return of_->renew(claim, until);
    }
    [[nodiscard]] Released release(const Claim& claim, Steady::time_point until) override {
        return of_->release(claim, until);
    }
    [[nodiscard]] std::optional<Look> look(const std::string& key,
                                           Steady::time_point until) override {
        return of_->look(key, until);
    }

private:
    std::shared_ptr<Service> of_;
};

class LocalWorld final : public World {
public:
    std::unique_ptr<Service> service() override {
        return std::make_unique<Shared>(service_);
    }

private:
    std::shared_ptr<Service> service_ = lock::local::open();
};

INSTANTIATE_TEST_SUITE_P(Local, LockContract,
                         testing::Values(Kind{"Local", std::make_unique<LocalWorld>}), name_of);

}  // namespace
}  // namespace passbook::lock_tests
