// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/mariadb_advisory.h"

#include <fmt/format.h>
#include <algorithm>

#include "store/mariadb/connection.h"
#include "store/spare.h"

namespace passbook::store::mariadb {
namespace {

using std::chrono::milliseconds;

// Names are the whole server's, have 64 bytes, and do not tell capitals from small letters: a hash
// of database and key does.
#define PASSBOOK_NAME "CONCAT('passbook ', LEFT(SHA2(CONCAT(DATABASE(), ' ', ?), 256), 48))"

const Query try_lock{"SELECT COALESCE(GET_LOCK(" PASSBOOK_NAME ", 0), 0)"};
const Query is_locked{"SELECT IS_USED_LOCK(" PASSBOOK_NAME ") IS NOT NULL"};

#undef PASSBOOK_NAME

const Query release_all{"SELECT RELEASE_ALL_LOCKS()"};
const Query still_there{"SELECT 1"};
const Query session{"SELECT CONNECTION_ID()"};

using SpareConnections = Spare<Connection>;

class MariadbAdvisory final : public Advisory {
public:
    MariadbAdvisory(std::shared_ptr<SpareConnections> spare, std::unique_ptr<Connection> connection)
        : spare_(std::move(spare)), connection_(std::move(connection)) {}

    /// The library takes a time-out only before it connects: the URL's read_timeout.
    void keep(milliseconds) override {
        (void)connection_->ask(still_there);
    }

    void release() override {
        (void)connection_->ask(release_all);
        spare_->give_back(std::move(connection_));
    }

private:
    const std::shared_ptr<SpareConnections> spare_;
    std::unique_ptr<Connection> connection_;
};

class MariadbAdvisories final : public Advisories {
public:
    explicit MariadbAdvisories(const std::string& url)
        : address_(url), spare_(std::make_shared<SpareConnections>([address = address_] {
              return std::make_unique<Connection>(address, Purpose::write);
          })) {}

    [[nodiscard]] std::string describe() const override {
        return address_.describe();
    }

    /// A proxy that shares sessions gives the one that a client has just left to the next that
    /// begins something.
    void check_sessions() override {
        Connection one(address_, Purpose::write);
        Connection other(address_, Purpose::write);
        const std::int64_t first = session_of(one);
        other.run("START TRANSACTION");
        const std::int64_t second = session_of(other);
        const std::int64_t again = session_of(one);
        other.roll_back();
        if (first == second || first != again) {
            throw Failure(FailureKind::broken,
                          fmt::format("{} is reached through a proxy that hands sessions around: "
                                      "connect to the server itself for advisory locks, or use "
                                      "--lock store",
                                      address_.describe()));
        }
    }

    [[nodiscard]] std::unique_ptr<Advisory> take(const std::vector<std::string>& keys,
                                                 milliseconds ttl) override {
        const auto idle = std::chrono::ceil<std::chrono::seconds>(ttl);
        auto [taken, connection] = spare_->use([&](Connection& fresh) {
            fresh.run(fmt::format("SET SESSION wait_timeout = {}", idle.count()));
            const bool all = std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
                return fresh.ask(try_lock, Parameters().text(key)).row(0).boolean(0);
            });
            if (!all) {
                (void)fresh.ask(release_all);
            }
            return all;
        });
        if (!taken) {
            spare_->give_back(std::move(connection));
            return nullptr;
        }
        return std::make_unique<MariadbAdvisory>(spare_, std::move(connection));
    }

    [[nodiscard]] bool is_held(const std::string& key) override {
        auto [held, connection] = spare_->use([&](Connection& fresh) {
            return fresh.ask(is_locked, Parameters().text(key)).row(0).boolean(0);
        });
        spare_->give_back(std::move(connection));
        return held;
    }

private:
    static std::int64_t session_of(Connection& connection) {
        return connection.ask(session).row(0).integer(0);
    }

    const Address address_;
    const std::shared_ptr<SpareConnections> spare_;
};

}  // namespace

std::unique_ptr<Advisories> open_advisories(const std::string& url) {
    return std::make_unique<MariadbAdvisories>(url);
}

}  // namespace passbook::store::mariadb
