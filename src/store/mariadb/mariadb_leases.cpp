// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/mariadb_leases.h"

#include "base/id.h"
#include "store/lease_links.h"
#include "store/mariadb/link.h"

namespace passbook::store::mariadb {
namespace {

using std::chrono::milliseconds;

// SYSDATE is read when the statement comes to the row, not when it began. Its microseconds count.
#define PASSBOOK_NOW "CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)"

const Query open_row{"INSERT IGNORE INTO leases (shard, `key`, fence) VALUES (?, ?, 0)"};
// The columns are set in this order, so the fence still sees whose it was.
const Query take_lease{
    "UPDATE leases SET fence = fence + IF(token <=> ?, 0, 1), token = ?, "
    "expires_at = " PASSBOOK_NOW
    " + ? * 1000 WHERE shard = ? AND `key` = ? "
    "AND (token IS NULL OR token = ? OR expires_at <= " PASSBOOK_NOW ")"};
const Query read_fence{"SELECT fence FROM leases WHERE shard = ? AND `key` = ? AND token = ?"};
const Query renew_lease{"UPDATE leases SET expires_at = " PASSBOOK_NOW
                        " + ? * 1000 WHERE shard = ? AND `key` = ? "
                        "AND token = ? AND expires_at > " PASSBOOK_NOW};
const Query release_in_time{
    "UPDATE leases SET token = NULL, expires_at = NULL WHERE shard = ? AND `key` = ? "
    "AND token = ? AND expires_at > " PASSBOOK_NOW};
const Query release_late{
    "UPDATE leases SET token = NULL, expires_at = NULL WHERE shard = ? AND `key` = ? "
    "AND token = ?"};
const Query look_at_lease{
    "SELECT token = ?, CAST(CEIL((expires_at - " PASSBOOK_NOW
    ") / 1000) AS SIGNED) "
    "FROM leases WHERE shard = ? AND `key` = ? AND expires_at > " PASSBOOK_NOW};
// The session keeps the number, so that it is read back as it was written here.
const Query mint_fence{
    "UPDATE leases SET fence = LAST_INSERT_ID(fence + 1) WHERE shard = ? AND `key` = ?"};
const Query minted_fence{"SELECT CAST(LAST_INSERT_ID() AS SIGNED)"};

#undef PASSBOOK_NOW

Parameters& place(Parameters& parameters, const std::string& key) {
    return parameters.integer(std::int64_t{shard_of(key)}).text(key);
}
Parameters place(const std::string& key) {
    Parameters parameters;
    place(parameters, key);
    return parameters;
}

LeaseStanding look_at(Connection& connection, const std::string& key, const std::string& token) {
    Parameters parameters;
    const Result found = connection.ask(look_at_lease, place(parameters.text(token), key));
    if (found.rows() == 0) {
        return {};
    }
    const Row row = found.row(0);
    return {row.boolean(0) ? LeaseHeld::ours : LeaseHeld::others, milliseconds(row.integer(1))};
}

bool take_row(Connection& connection, const std::string& key, const std::string& token,
              milliseconds ttl) {
    Parameters parameters;
    parameters.text(token).text(token).integer(std::int64_t{ttl.count()});
    return connection.write(take_lease, place(parameters, key).text(token)) != 0;
}

/// The fence; 0 where somebody else holds it.
std::int64_t take_one(Connection& connection, const std::string& key, const std::string& token,
                      milliseconds ttl) {
    if (!take_row(connection, key, token, ttl) &&
        (connection.write(open_row, place(key)) == 0 || !take_row(connection, key, token, ttl))) {
        return 0;
    }
    const Result row = connection.ask(read_fence, place(key).text(token));
    return row.rows() == 0 ? 0 : row.row(0).integer(0);
}

class MariadbLeases final : public Leases {
public:
    explicit MariadbLeases(const std::string& url)
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
                    const std::int64_t fence = take_one(connection, key, token, ttl);
                    if (fence == 0) {
                        taken = {.left = look_at(connection, key, token).left};
                        return false;
                    }
                    taken.fences.push_back(fence);
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
                    Parameters parameters;
                    parameters.integer(std::int64_t{ttl.count()});
                    const bool done =
                        connection.write(renew_lease, place(parameters, key).text(token)) != 0;
                    if (!done) {
                        held = unless_ours(connection, key, token);
                    }
                    return done;
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
                    if (connection.write(release_in_time, place(key).text(token)) == 0) {
                        (void)connection.write(release_late, place(key).text(token));
                        held = worse(held, unless_ours(connection, key, token));
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
                    if (connection.write(mint_fence, place(key)) == 0) {
                        (void)connection.write(open_row, place(key));
                        (void)connection.write(mint_fence, place(key));
                    }
                    fences.push_back(connection.ask(minted_fence).row(0).integer(0));
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
    return std::make_unique<MariadbLeases>(url);
}

}  // namespace passbook::store::mariadb
