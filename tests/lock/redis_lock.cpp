// SPDX-License-Identifier: Apache-2.0
#include "lock/redis/redis_lock.h"

#include "tests/lock/contract.h"
#include "tests/lock/cut_off.h"
#include "tests/servers/redis_server.h"

namespace passbook::lock_tests {
namespace {

class RedisWorld final : public ServerWorld {
public:
    std::string url() const override {
        return server_.url();
    }
    std::unique_ptr<Service> open(const std::string& url) const override {
        return lock::redis::open(url);
    }

private:
    test::RedisServer server_;
};

const auto kinds = testing::Values(Kind{"Redis", std::make_unique<RedisWorld>});

INSTANTIATE_TEST_SUITE_P(Redis, LockContract, kinds, name_of);
INSTANTIATE_TEST_SUITE_P(Redis, CutOff, kinds, name_of);

}  // namespace
}  // namespace passbook::lock_tests
