// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/sqlite_leases.h"

#include "tests/contract/contract.h"

namespace passbook::contract {
namespace {

Backend sqlite() {
    return {"Sqlite",
            [](const Clock& clock, const std::filesystem::path& folder) {
                const std::string path = (folder / "store.db").string();
                return store::sqlite::open(path, store::Access::write, clock);
            },
            [](store::Store&, const std::filesystem::path& folder, const std::string& key) {
                const std::string path = (folder / "store.db").string();
                return store::sqlite::open_leases(path)->mint({key}).front();
            }};
}

std::string name_of(const testing::TestParamInfo<Backend>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(sqlite()), name_of);
INSTANTIATE_TEST_SUITE_P(Sqlite, GuardContract, testing::Values(sqlite()), name_of);

}  // namespace
}  // namespace passbook::contract
