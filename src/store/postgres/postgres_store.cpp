// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_store.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include "store/postgres/link.h"
#include "store/postgres/migrate.h"
#include "store/postgres/postgres_reader.h"
#include "store/postgres/postgres_writer.h"

namespace passbook::store::postgres {
namespace {

/// More would wait for each other's rows more than they would gain.
constexpr std::size_t writers_limit = 16;

class PostgresStore final : public Store {
public:
    PostgresStore(const std::string& url, Access access, const Clock& clock)
        : address_(url),
          access_(access),
          clock_(dynamic_cast<const SystemClock*>(&clock) == nullptr ? &clock : nullptr) {
        (void)link_to(address_, access == Access::write ? Purpose::write : Purpose::read).get();
    }

    [[nodiscard]] std::string describe() const override {
        return address_.describe();
    }
    [[nodiscard]] std::size_t writers_max() const override {
        return writers_limit;
    }
    [[nodiscard]] bool shared() const override {
        return true;
    }
    [[nodiscard]] bool guards_keys() const override {
        return address_.reach() == Reach::all_shards;  // others may have no trigger that asks
    }

    std::unique_ptr<Writer> writer() override {
        if (access_ == Access::read) {
            throw Failure(FailureKind::unavailable,
                          fmt::format("{} is open for reading", describe()));
        }
        return std::make_unique<PostgresWriter>(address_, clock_);
    }

    std::unique_ptr<Reader> reader() override {
        return open_reader(address_, clock_);
    }

private:
    Address address_;
    Access access_;
    const Clock* clock_;
};

}  // namespace

std::unique_ptr<Store> open(const std::string& url, Access access, const Clock& clock) {
    return std::make_unique<PostgresStore>(url, access, clock);
}

void migrate(const std::string& url) {
    const Address address(url);
    Connection connection(address, Purpose::manage);
    migrate(connection, address.describe());
}

std::string library_version() {
    const int version = PQlibVersion();
    return fmt::format("{}.{}", version / 10'000, version % 10'000);
}

}  // namespace passbook::store::postgres
