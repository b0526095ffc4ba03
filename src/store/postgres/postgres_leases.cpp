// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_leases.h"

#include <optional>

#include "base/id.h"
#include "store/lease_links.h"
#include "store/postgres/link.h"

namespace passbook::store::postgres {
namespace {

using std::chrono::milliseconds;

// The time is read when the row is locked, or before: then a lease ends too early for its holder by
// the wait, and never too late. Seconds would do for nobody, hence milliseconds.
const Query take_lease{
    "take_lease",
    "INSERT INTO passbook.leases AS l (shard, key, fence, token, expires_at) "
    "VALUES ($1::smallint, $2::text, 1, $3::text, "
    "clock_timestamp() + $4::bigint * interval '1 millisecond') "
    "ON CONFLICT (shard, key) DO UPDATE SET "
    "fence = l.fence + CASE WHEN l.token = excluded.token THEN 0 ELSE 1 END, "
    "token = excluded.token, expires_at = excluded.expires_at "
    "WHERE l.token IS NULL OR l.token = excluded.token OR l.expires_at <= clock_timestamp() "
    "RETURNING fence"};
const Query renew_lease{
    "renew_lease",
    "UPDATE passbook.leases "
    "SET expires_at = clock_timestamp() + $4::bigint * interval '1 millisecond' "
    "WHERE shard = $1::smallint AND key = $2::text AND token = $3::text "
    "AND expires_at > clock_timestamp()"};
// What was there is read first, for RETURNING shows what has become of it.
const Query release_lease{
    "release_lease",
    "UPDATE passbook.leases l SET token = NULL, expires_at = NULL FROM ("
    "SELECT shard, key, expires_at FROM passbook.leases "
    "WHERE shard = $1::smallint AND key = $2::text AND token = $3::text FOR UPDATE) held "
    "WHERE l.shard = held.shard AND l.key = held.key "
    "RETURNING held.expires_at > clock_timestamp()"};
const Query look_at_lease{"look_at_lease",
                          "SELECT token = $3::text, "
                          "ceil(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint "
                          "FROM passbook.leases WHERE shard = $1::smallint AND key = $2::text "
                          "AND expires_at > clock_timestamp()"};
const Query mint_fence{"mint_fence",
                       "INSERT INTO passbook.leases AS l (shard, key, fence) "
                       "VALUES ($1::smallint, $2::text, 1) "
                       "ON CONFLICT (shard, key) DO UPDATE SET fence = l.fence + 1 "
                       "RETURNING fence"};

Parameters place_of(const std::string& key) {
    return Parameters().smallint(shard_of(key)).text(key);
}

LeaseStanding look_at(Connection& connection, const std::string& key, const std::string& token) {
    const Result found = run_one(connection, look_at_lease, place_of(key).text(token));
    if (found.rows() == 0) {
        return {};
    }
    const Row row = found.row(0);
    return {row.boolean(0) ? LeaseHeld::ours : LeaseHeld::others, milliseconds(row.integer(1))};
}

class PostgresLeases final : public Leases {
public:
    explicit PostgresLeases(const std::string& url)
        : address_(url),
          links_([address = address_] { return link_to(address, Purpose::write); }) {}

    [[nodiscard]] std::string describe() const override {
        return address_.describe();
    }

    [[nodiscard]] LeaseTaken take(const std::vector<std::string>& keys, const std::string& token,
                                  milliseconds ttl) override {
        return links_.run(
            [&](Connection& connection) {
                LeaseTaken taken;
                taken.taken = all_or_none(connection, keys, [&](const std::string& key) {
                    const Result row = run_one(connection, take_lease,
                                               place_of(key).text(token).bigint(ttl.count()));
                    if (row.rows() == 0) {
                        taken = {.left = look_at(connection, key, token).left};
                        return false;
                    }
                    taken.fences.push_back(row.row(0).integer(0));
                    return true;
                });
                return taken;
            },
            true);
    }

    [[nodiscard]] LeaseHeld renew(const std::vector<std::string>& keys, const std::string& token,
                                  milliseconds ttl) override {
        return links_.run(
            [&](Connection& connection) {
                LeaseHeld held = LeaseHeld::ours;
                (void)all_or_none(connection, keys, [&](const std::string& key) {
                    const Result done = run_one(connection, renew_lease,
                                                place_of(key).text(token).bigint(ttl.count()));
                    if (done.affected() == 0) {
                        held = unless_ours(connection, key, token);
                    }
                    return done.affected() != 0;
                });
                return held;
            },
            true);
    }

    [[nodiscard]] LeaseHeld release(const std::vector<std::string>& keys,
                                    const std::string& token) override {
        return links_.run(
            [&](Connection& connection) {
                LeaseHeld held = LeaseHeld::ours;
                for (const std::string& key : keys) {
                    const Result freed =
                        run_one(connection, release_lease, place_of(key).text(token));
                    if (freed.rows() == 0) {
                        held = worse(held, unless_ours(connection, key, token));
                    } else if (!freed.row(0).boolean(0)) {
                        held = worse(held, LeaseHeld::nobodys);
                    }
                }
                return held;
            },
            false);
    }

    [[nodiscard]] LeaseStanding look(const std::string& key, const std::string& token) override {
        return links_.run([&](Connection& connection) { return look_at(connection, key, token); },
                          true);
    }

    [[nodiscard]] std::vector<std::int64_t> mint(const std::vector<std::string>& keys) override {
        return links_.run(
            [&](Connection& connection) {
                std::vector<std::int64_t> fences;
                (void)all_or_none(connection, keys, [&](const std::string& key) {
                    fences.push_back(
                        run_one(connection, mint_fence, place_of(key)).row(0).integer(0));
                    return true;
                });
                return fences;
            },
            true);
    }

private:
    /// Whose it is, of a key that was found not to be held under the token a moment ago.
    static LeaseHeld unless_ours(Connection& connection, const std::string& key,
                                 const std::string& token) {
        return look_at(connection, key, token).held == LeaseHeld::others ? LeaseHeld::others
                                                                         : LeaseHeld::nobodys;
    }

    const Address address_;
    LeaseLinks<Connection> links_;
};

}  // namespace

std::unique_ptr<Leases> open_leases(const std::string& url) {
    return std::make_unique<PostgresLeases>(url);
}

}  // namespace passbook::store::postgres
