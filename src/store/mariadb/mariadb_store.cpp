// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/mariadb_store.h"

#include <fmt/format.h>
#include <mysql.h>

#include "store/mariadb/link.h"
#include "store/mariadb/mariadb_reader.h"
#include "store/mariadb/mariadb_writer.h"
#include "store/mariadb/migrate.h"

namespace passbook::store::mariadb {
namespace {

/// More would wait for each other's rows more than they would gain.
constexpr std::size_t writers_limit = 16;

class MariadbStore final : public Store {
public:
    MariadbStore(const std::string& url, Access access, const Clock& clock)
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
        return true;
    }

    std::unique_ptr<Writer> writer() override {
        if (access_ == Access::read) {
            throw Failure(FailureKind::unavailable,
                          fmt::format("{} is open for reading", describe()));
        }
        return std::make_unique<MariadbWriter>(address_, clock_);
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
    return std::make_unique<MariadbStore>(url, access, clock);
}

void migrate(const std::string& url) {
    const Address address(url);
    Connection connection(address, Purpose::manage);
    migrate(connection, address.describe());
}

std::string library_version() {
    return mysql_get_client_info();
}

}  // namespace passbook::store::mariadb
