// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_store.h"
#include "store/postgres/postgres_leases.h"

#include "tests/contract/contract.h"
#include "tests/servers/postgres_database.h"

namespace passbook::contract {
namespace {

/// A store that takes its database with it.
class OwnDatabase final : public store::Store {
public:
    OwnDatabase(const Clock& clock, std::string_view option)
        : store_(
              store::postgres::open(with(database_.url(), option), store::Access::write, clock)) {}

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
        return store::postgres::open_leases(database_.url())->mint({key}).front();
    }

private:
    static std::string with(std::string url, std::string_view option) {
        if (!option.empty()) {
            url += (url.find('?') == std::string::npos ? "?" : "&") + std::string(option);
        }
        return url;
    }

    test::PostgresDatabase database_;
    std::unique_ptr<store::Store> store_;
};

std::int64_t mint(store::Store& store, const std::filesystem::path&, const std::string& key) {
    return dynamic_cast<OwnDatabase&>(store).mint(key);
}

Backend postgres() {
    return {"Postgres",
            [](const Clock& clock, const std::filesystem::path&) {
                return std::make_unique<OwnDatabase>(clock, "");
            },
            mint};
}

/// One shard a statement, as engines need it that spread a store by shard.
Backend postgres_by_shard() {
    return {"PostgresByShard",
            [](const Clock& clock, const std::filesystem::path&) {
                return std::make_unique<OwnDatabase>(clock, "one_shard=true");
            },
            mint};
}

std::string name_of(const testing::TestParamInfo<Backend>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Postgres, StoreContract, testing::Values(postgres(), postgres_by_shard()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Postgres, GuardContract, testing::Values(postgres(), postgres_by_shard()),
                         name_of);

}  // namespace
}  // namespace passbook::contract
