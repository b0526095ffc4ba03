// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/sqlite_reader.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/sqlite/connection.h"
#include "store/sqlite/lookups.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/snapshot.h"

namespace passbook::store::sqlite {
namespace {

/// One snapshot for all statements of a scope; inside a shard snapshot, that one.
class Snapshot {
public:
    explicit Snapshot(Connection& connection) : connection_(connection) {
        if (connection_.in_transaction()) {
            return;
        }
        connection_.run("BEGIN");
        owns_ = true;
    }
    ~Snapshot() {
        if (owns_) {
            connection_.roll_back();
        }
    }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    Connection& connection_;
    bool owns_ = false;
};

/// What open holds that are due still count in `held`, as the last of an account's columns.
constexpr std::string_view due_column =
    "CASE WHEN e.held_after > 0 THEN (SELECT coalesce(sum(amount), 0) FROM holds "
    "WHERE shard = a.shard AND account = a.id AND status = 1 AND "
    "expires_at <= max(?1, e.recorded_at)) ELSE 0 END";

std::string account_query(std::string_view rest) {
    return fmt::format("SELECT {}, {} FROM {} {}", account_columns, due_column, account_source,
                       rest);
}

std::string entry_query(std::string_view rest) {
    return fmt::format("SELECT {} FROM entries {}", entry_columns, rest);
}

class SqliteReader final : public Reader {
public:
    SqliteReader(const std::string& path, const Clock& clock)
        : connection_(path, Connection::Mode::read_only),
          clock_(clock),
          lookups_((configure(connection_), connection_)),
          assets_(connection_, fmt::format("SELECT {} FROM assets ORDER BY code", asset_columns)),
          account_(connection_, account_query("WHERE a.shard = ?2 AND a.id = ?3")),
          accounts_(connection_, account_query("WHERE (a.shard, a.id) > (?2, ?3) "
                                               "ORDER BY a.shard, a.id LIMIT ?4")),
          entries_(connection_, entry_query("WHERE shard = ?1 AND account = ?2 AND seq > ?3 "
                                            "ORDER BY seq LIMIT ?4")),
          last_seq_(connection_,
                    "SELECT coalesce((SELECT max(seq) FROM entries WHERE shard = ?1 AND "
                    "account = ?2), 0) FROM accounts WHERE shard = ?1 AND id = ?2"),
          entry_at_(connection_,
                    "SELECT recorded_at, balance_after FROM entries WHERE shard = ?1 "
                    "AND account = ?2 AND seq = ?3"),
          effective_(connection_,
                     "SELECT coalesce(sum(amount), 0), coalesce(max(seq), 0) FROM "
                     "entries WHERE shard = ?1 AND account = ?2 AND "
                     "coalesce(effective_at, recorded_at) <= ?3"),
          ping_(connection_, "SELECT version FROM format") {}

    std::vector<ledger::Asset> assets() override {
        const Resetting resetting(assets_);
        std::vector<ledger::Asset> assets;
        while (assets_.step()) {
            assets.push_back(read_asset(assets_));
        }
        return assets;
    }

    std::optional<ledger::Asset> asset(const AssetCode& code) override {
        return lookups_.asset(code);
    }

    std::optional<AccountView> account(const AccountId& id) override {
        const Resetting resetting(account_);
        account_.bind(1, clock_.now());
        account_.bind(2, std::int64_t{shard_of(id.text())});
        account_.bind(3, std::string_view(id.text()));
        if (!account_.step()) {
            return std::nullopt;
        }
        return view_of(account_);
    }

    std::vector<AccountView> accounts(const std::optional<AccountId>& after,
                                      std::size_t limit) override {
        const Resetting resetting(accounts_);
        accounts_.bind(1, clock_.now());
        accounts_.bind(2, std::int64_t{after ? shard_of(after->text()) : 0});
        accounts_.bind(3, after ? std::string_view(after->text()) : std::string_view(""));
        accounts_.bind(4, static_cast<std::int64_t>(limit));
        std::vector<AccountView> page;
        while (accounts_.step()) {
            page.push_back(view_of(accounts_));
        }
        return page;
    }

    std::vector<ledger::Entry> entries(const AccountId& account, std::int64_t after_seq,
                                       std::size_t limit) override {
        const Resetting resetting(entries_);
        entries_.bind(1, std::int64_t{shard_of(account.text())});
        entries_.bind(2, std::string_view(account.text()));
        entries_.bind(3, after_seq);
        entries_.bind(4, static_cast<std::int64_t>(limit));
        std::vector<ledger::Entry> page;
        while (entries_.step()) {
            page.push_back(read_entry(entries_));
        }
        return page;
    }

    /// recorded_at never goes back along seq, so a binary search finds the last entry that counts.
    std::optional<BalanceAt> balance_at(const AccountId& account, Instant at) override {
        const Snapshot snapshot(connection_);
        const auto last = last_seq(account);
        if (!last) {
            return std::nullopt;
        }
        BalanceAt found;
        std::int64_t low = 1;
        std::int64_t high = *last;
        while (low <= high) {
            const std::int64_t middle = low + (high - low) / 2;
            const auto balance = balance_if_recorded(account, middle, at);
            if (balance) {
                found = {*balance, middle};
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return found;
    }

    std::optional<BalanceAt> balance_by_effective(const AccountId& account, Instant at) override {
        const Snapshot snapshot(connection_);
        if (!last_seq(account)) {
            return std::nullopt;
        }
        const Resetting resetting(effective_);
        effective_.bind(1, std::int64_t{shard_of(account.text())});
        effective_.bind(2, std::string_view(account.text()));
        effective_.bind(3, at);
        if (!effective_.step()) {
            return std::nullopt;
        }
        return BalanceAt{effective_.integer(0), effective_.integer(1)};
    }

    std::optional<ledger::Original> transaction(const EntryId& id) override {
        const Snapshot snapshot(connection_);
        return lookups_.original(id);
    }

    std::optional<ledger::Hold> hold(const EntryId& id) override {
        return lookups_.hold(id);
    }

    std::optional<ledger::Outcome> outcome(const ledger::SubjectKey& key) override {
        const Snapshot snapshot(connection_);
        return lookups_.outcome(shard_of(key.subject.text()), key);
    }

    std::unique_ptr<ShardSnapshot> snapshot(Shard shard) override {
        return open_snapshot(connection_, shard);
    }

    void ping() override {
        const Resetting resetting(ping_);
        if (!ping_.step()) {
            throw Failure(FailureKind::broken, "the store has no format row");
        }
    }

private:
    static void configure(Connection& connection) {
        sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        connection.run("PRAGMA cache_size = -16384");
    }

    static AccountView view_of(const Statement& row) {
        return {read_account(row), row.integer(account_column_count)};
    }

    std::optional<std::int64_t> last_seq(const AccountId& account) {
        const Resetting resetting(last_seq_);
        last_seq_.bind(1, std::int64_t{shard_of(account.text())});
        last_seq_.bind(2, std::string_view(account.text()));
        if (!last_seq_.step()) {
            return std::nullopt;
        }
        return last_seq_.integer(0);
    }

    std::optional<Amount> balance_if_recorded(const AccountId& account, std::int64_t seq,
                                              Instant at) {
        const Resetting resetting(entry_at_);
        entry_at_.bind(1, std::int64_t{shard_of(account.text())});
        entry_at_.bind(2, std::string_view(account.text()));
        entry_at_.bind(3, seq);
        if (!entry_at_.step() || entry_at_.instant(0) > at) {
            return std::nullopt;
        }
        return entry_at_.integer(1);
    }

    Connection connection_;
    const Clock& clock_;
    Lookups lookups_;
    Statement assets_;
    Statement account_;
    Statement accounts_;
    Statement entries_;
    Statement last_seq_;
    Statement entry_at_;
    Statement effective_;
    Statement ping_;
};

}  // namespace

std::unique_ptr<Reader> open_reader(const std::string& path, const Clock& clock) {
    return std::make_unique<SqliteReader>(path, clock);
}

}  // namespace passbook::store::sqlite
