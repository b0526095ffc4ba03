// SPDX-License-Identifier: Apache-2.0
#include "store/memory/memory_store.h"

#include "tests/contract/contract.h"

namespace passbook::contract {
namespace {

Backend memory() {
    return {"Memory",
            [](const Clock& clock, const std::filesystem::path&) {
                return std::make_unique<store::memory::MemoryStore>(clock);
            },
            [](store::Store& store, const std::filesystem::path&, const std::string& key) {
                return dynamic_cast<store::memory::MemoryStore&>(store).mint(key);
            }};
}

std::string name_of(const testing::TestParamInfo<Backend>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(memory()), name_of);
INSTANTIATE_TEST_SUITE_P(Memory, GuardContract, testing::Values(memory()), name_of);

}  // namespace
}  // namespace passbook::contract
