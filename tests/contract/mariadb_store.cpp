// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/mariadb_store.h"
#include "store/mariadb/mariadb_leases.h"

#include "tests/contract/contract.h"
#include "tests/servers/mariadb_database.h"

namespace passbook::contract {
namespace {

/// A store that takes its database with it.
class OwnDatabase final : public store::Store {
public:
    explicit OwnDatabase(const Clock& clock)
        : store_(store::mariadb::open(database_.url(), store::Access::write, clock)) {}

    [[nodiscard]] std::string describe() const override {
        return store_->describe();
    }
    [[nodiscard]] std::size_t writers_max() const override {
        return store_->writers_max();
    }
    [[nodiscard]] bool shared() const override {
        return store_->shared();
    }
    std::unique_ptr<store::Writer> writer() override {
        return store_->writer();
    }
    std::unique_ptr<store::Reader> reader() override {
        return store_->reader();
    }
    [[nodiscard]] std::int64_t mint(const std::string& key) const {
        return store::mariadb::open_leases(database_.url())->mint({key}).front();
    }

private:
    test::MariadbDatabase database_;
    std::unique_ptr<store::Store> store_;
};

std::int64_t mint(store::Store& store, const std::filesystem::path&, const std::string& key) {
    return dynamic_cast<OwnDatabase&>(store).mint(key);
}

Backend mariadb() {
    return {"MariaDB",
            [](const Clock& clock, const std::filesystem::path&) {
                return std::make_unique<OwnDatabase>(clock);
            },
            mint};
}

std::string name_of(const testing::TestParamInfo<Backend>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Mariadb, StoreContract, testing::Values(mariadb()), name_of);
INSTANTIATE_TEST_SUITE_P(Mariadb, GuardContract, testing::Values(mariadb()), name_of);

}  // namespace
}  // namespace passbook::contract
