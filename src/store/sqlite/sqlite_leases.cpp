// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/sqlite_leases.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/id.h"
#include "base/planted.h"
#include "store/sqlite/connection.h"

namespace passbook::store::sqlite {
namespace {

using std::chrono::milliseconds;

#define PASSBOOK_NOW "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

constexpr std::string_view take_lease =
    "INSERT INTO leases AS l (shard, key, fence, token, expires_at) "
    "VALUES (?1, ?2, 1, ?3, " PASSBOOK_NOW
    " + ?4) "
    "ON CONFLICT (shard, key) DO UPDATE SET fence = l.fence + (l.token IS NOT excluded.token), "
    "token = excluded.token, expires_at = excluded.expires_at "
    "WHERE l.token IS NULL OR l.token = excluded.token OR l.expires_at <= " PASSBOOK_NOW
    " RETURNING fence";
constexpr std::string_view renew_lease =
    "UPDATE leases SET expires_at = " PASSBOOK_NOW
    " + ?4 "
    "WHERE shard = ?1 AND key = ?2 AND token = ?3 AND expires_at > " PASSBOOK_NOW;
constexpr std::string_view release_lease =
    "UPDATE leases SET token = NULL, expires_at = NULL "
    "WHERE shard = ?1 AND key = ?2 AND token = ?3";
constexpr std::string_view look_at_lease =
    "SELECT token = ?3, expires_at - " PASSBOOK_NOW
    " FROM leases "
    "WHERE shard = ?1 AND key = ?2 AND expires_at > " PASSBOOK_NOW;
constexpr std::string_view mint_fence =
    "INSERT INTO leases AS l (shard, key, fence) VALUES (?1, ?2, 1) "
    "ON CONFLICT (shard, key) DO UPDATE SET fence = l.fence + 1 RETURNING fence";

#undef PASSBOOK_NOW

/// A statement about one key; those that name no token or TTL take none.
class KeyStatement {
public:
    KeyStatement(Connection& connection, std::string_view sql, const std::string& key)
        : statement_(connection, sql) {
        statement_.bind(1, std::int64_t{shard_of(key)});
        statement_.bind(2, std::string_view(key));
    }

    KeyStatement& token(const std::string& token) {
        statement_.bind(3, std::string_view(token));
        return *this;
    }
    KeyStatement& ttl(milliseconds ttl) {
        statement_.bind(4, std::int64_t{ttl.count()});
        return *this;
    }
    [[nodiscard]] Statement& operator*() noexcept {
        return statement_;
    }

private:
    Statement statement_;
};

LeaseStanding look_at(Connection& connection, const std::string& key, const std::string& token) {
    KeyStatement query(connection, look_at_lease, key);
    Statement& row = *query.token(token);
    if (!row.step()) {
        return {};
    }
    return {row.integer(0) != 0 ? LeaseHeld::ours : LeaseHeld::others,
            milliseconds(row.integer(1))};
}

/// The fence; 0 where the statement found the key to be somebody else's.
std::int64_t fence_of(KeyStatement& statement) {
    Statement& row = *statement;
    std::int64_t fence = 0;
    while (row.step()) {  // to the end, where it takes effect
        fence = row.integer(0);
    }
    return fence;
}

class SqliteLeases final : public Leases {
public:
    explicit SqliteLeases(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] std::string describe() const override {
        return "sqlite:" + path_;
    }

    [[nodiscard]] LeaseTaken take(const std::vector<std::string>& keys, const std::string& token,
                                  milliseconds ttl) override {
        LeaseTaken taken{.taken = true};
        write([&](Connection& connection) {
            for (const std::string& key : keys) {
                KeyStatement statement(connection, take_lease, key);
                const std::int64_t fence = fence_of(statement.token(token).ttl(ttl));
                if (fence == 0) {
                    taken = {.left = look_at(connection, key, token).left};
                    return false;
                }
                taken.fences.push_back(fence);
            }
            return true;
        });
        return taken;
    }

    [[nodiscard]] LeaseHeld renew(const std::vector<std::string>& keys, const std::string& token,
                                  milliseconds ttl) override {
        LeaseHeld held = LeaseHeld::ours;
        write([&](Connection& connection) {
            for (const std::string& key : keys) {
                KeyStatement statement(connection, renew_lease, key);
                (*statement.token(token).ttl(ttl)).run();
                if (connection.changes() == 0 && !planted(Bug::lease_rows_not_counted)) {
                    held = look_at(connection, key, token).held;
                    return false;
                }
            }
            return true;
        });
        return held;
    }

    [[nodiscard]] LeaseHeld release(const std::vector<std::string>& keys,
                                    const std::string& token) override {
        LeaseHeld held = LeaseHeld::ours;
        write([&](Connection& connection) {
            for (const std::string& key : keys) {
                held = std::max(held, look_at(connection, key, token).held);
                KeyStatement statement(connection, release_lease, key);
                (*statement.token(token)).run();
            }
            return true;
        });
        return held;
    }

    [[nodiscard]] LeaseStanding look(const std::string& key, const std::string& token) override {
        Connection connection(path_, Connection::Mode::read_only);
        return look_at(connection, key, token);
    }

    [[nodiscard]] std::vector<std::int64_t> mint(const std::vector<std::string>& keys) override {
        std::vector<std::int64_t> fences;
        write([&](Connection& connection) {
            for (const std::string& key : keys) {
                KeyStatement statement(connection, mint_fence, key);
                fences.push_back(fence_of(statement));
            }
            return true;
        });
        return fences;
    }

private:
    /// Runs `work` in a transaction that is committed where it returns true. Each call has a
    /// connection of its own, which is soon opened and leaves nothing to share between threads.
    template <class Work>
    void write(Work work) const {
        Connection connection(path_, Connection::Mode::read_write_create);
        connection.run("PRAGMA synchronous = FULL");
        connection.run("PRAGMA wal_autocheckpoint = 0");  // the ledger's writer sees to that
        connection.run("BEGIN IMMEDIATE");
        const bool is_done = work(connection);
        if (!is_done) {
            connection.roll_back();
            return;
        }
        try {
            connection.run("COMMIT");
        } catch (const Failure& failure) {
            throw Failure(FailureKind::in_doubt, failure.what(), failure.native());
        }
    }

    const std::string path_;
};

}  // namespace

std::unique_ptr<Leases> open_leases(const std::string& path) {
    return std::make_unique<SqliteLeases>(path);
}

}  // namespace passbook::store::sqlite
