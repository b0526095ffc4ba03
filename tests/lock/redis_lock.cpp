// SPDX-License-Identifier: Apache-2.0
#include "lock/redis/redis_lock.h"

#include "tests/lock/contract.h"
#include "tests/servers/redis_server.h"

namespace passbook::lock_tests {
namespace {

class RedisWorld final : public World {
public:
    std::unique_ptr<Service> service() override {
        return lock::redis::open(server_.url());
    }

private:
    test::RedisServer server_;
};

INSTANTIATE_TEST_SUITE_P(Redis, LockContract,
                         testing::Values(Kind{"Redis", std::make_unique<RedisWorld>}), name_of);

}  // namespace
}  // namespace passbook::lock_tests
