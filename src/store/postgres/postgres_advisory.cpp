// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_advisory.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "base/sha256.h"
#include "store/postgres/connection.h"
#include "store/spare.h"

namespace passbook::store::postgres {
namespace {

using std::chrono::milliseconds;

const Query try_lock{"try_lock", "SELECT pg_try_advisory_xact_lock($1::bigint)"};
const Query still_there{"still_there", "SELECT 1"};
// Three, for where sessions are handed around a statement that one of us has prepared is there for
// the other, and gone for the one.
const std::array<Query, 3> sessions{{{"session_first", "SELECT pg_backend_pid()"},
                                     {"session_second", "SELECT pg_backend_pid()"},
                                     {"session_again", "SELECT pg_backend_pid()"}}};
// The halves of the number are how the view shows it; 1 stands for one number, 2 for two.
const Query is_locked{
    "is_locked",
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted "
    "AND objsubid = 1 AND database = (SELECT oid FROM pg_database "
    "WHERE datname = current_database()) "
    "AND classid::bigint << 32 | objid::bigint = $1::bigint)"};

/// Of the database's numbers, which everybody in it shares, one that nobody else uses.
std::int64_t number_of(const std::string& key) {
    const Sha256 hash = sha256("passbook lock " + key);
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) {
        number = number << 8U | hash[static_cast<std::size_t>(i)];
    }
    return static_cast<std::int64_t>(number);
}

using SpareConnections = Spare<Connection>;

class PostgresAdvisory final : public Advisory {
public:
    PostgresAdvisory(std::shared_ptr<SpareConnections> spare,
                     std::unique_ptr<Connection> connection)
        : spare_(std::move(spare)), connection_(std::move(connection)) {}

    void keep(milliseconds patience) override {
        const auto before = connection_->set_patience(patience);
        (void)run_one(*connection_, still_there);
        connection_->set_patience(before);
    }

    void release() override {
        connection_->run("COMMIT");
        spare_->give_back(std::move(connection_));
    }

private:
    const std::shared_ptr<SpareConnections> spare_;
    std::unique_ptr<Connection> connection_;
};

class PostgresAdvisories final : public Advisories {
public:
    explicit PostgresAdvisories(const std::string& url)
        : address_(url), spare_(std::make_shared<SpareConnections>([address = address_] {
              return std::make_unique<Connection>(address, Purpose::write);
          })) {}

    [[nodiscard]] std::string describe() const override {
        return address_.describe();
    }

    /// A pooler gives the session that one client has just left to the next that begins something.
    void check_sessions() override {
        Connection one(address_, Purpose::write);
        Connection other(address_, Purpose::write);
        const std::int64_t first = session_of(one, sessions[0]);
        other.run("BEGIN");
        const std::int64_t second = session_of(other, sessions[1]);
        const std::int64_t again = session_of(one, sessions[2]);
        other.roll_back();
        if (first == second || first != again) {
            throw Failure(FailureKind::broken,
                          fmt::format("{} is reached through a transaction pooler, which hands "
                                      "sessions around: connect to the server itself for advisory "
                                      "locks, or use --lock store",
                                      address_.describe()));
        }
    }

    [[nodiscard]] std::unique_ptr<Advisory> take(const std::vector<std::string>& keys,
                                                 milliseconds ttl) override {
        auto [taken, connection] = spare_->use([&](Connection& fresh) {
            fresh.run(fmt::format("BEGIN; SET LOCAL idle_in_transaction_session_timeout = {}",
                                  ttl.count()));
            const bool all = std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
                return run_one(fresh, try_lock, Parameters().bigint(number_of(key)))
                    .row(0)
                    .boolean(0);
            });
            if (!all) {
                fresh.roll_back();
            }
            return all;
        });
        if (!taken) {
            spare_->give_back(std::move(connection));
            return nullptr;
        }
        return std::make_unique<PostgresAdvisory>(spare_, std::move(connection));
    }

    [[nodiscard]] bool is_held(const std::string& key) override {
        auto [held, connection] = spare_->use([&](Connection& fresh) {
            return run_one(fresh, is_locked, Parameters().bigint(number_of(key))).row(0).boolean(0);
        });
        spare_->give_back(std::move(connection));
        return held;
    }

private:
    static std::int64_t session_of(Connection& connection, const Query& query) {
        return run_one(connection, query).row(0).integer(0);
    }

    const Address address_;
    const std::shared_ptr<SpareConnections> spare_;
};

}  // namespace

std::unique_ptr<Advisories> open_advisories(const std::string& url) {
    return std::make_unique<PostgresAdvisories>(url);
}

}  // namespace passbook::store::postgres
