// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/snapshot.h"

#include <fmt/format.h>

#include "store/sqlite/rows.h"

namespace passbook::store::sqlite {
namespace {

class SqliteSnapshot final : public ShardSnapshot {
public:
    SqliteSnapshot(Connection& connection, Shard shard)
        : shard_(shard),
          transaction_(connection),
          accounts_(walk(connection, account_columns, account_source, "a.shard", "a.id")),
          entries_(walk(connection, entry_columns, "entries", "shard", "account, seq")),
          holds_(walk(connection, hold_columns, "holds", "shard", "account, opened_seq")),
          refusals_(walk(connection, refusal_columns, "refusals", "shard", "subject, key")) {}

    bool next(ledger::Account& account) override {
        if (!step(accounts_)) {
            return false;
        }
        account = read_account(accounts_.statement);
        return true;
    }
    bool next(ledger::Entry& entry) override {
        if (!step(entries_)) {
            return false;
        }
        entry = read_entry(entries_.statement);
        return true;
    }
    bool next(ledger::Hold& hold) override {
        if (!step(holds_)) {
            return false;
        }
        hold = read_hold(holds_.statement);
        return true;
    }
    bool next(ledger::StoredRefusal& refusal) override {
        if (!step(refusals_)) {
            return false;
        }
        refusal = read_refusal(refusals_.statement);
        return true;
    }

private:
    /// Joins the transaction of a snapshot that is already open on this connection.
    struct Transaction {
        explicit Transaction(Connection& the_connection)
            : connection(the_connection), owns(!the_connection.in_transaction()) {
            if (owns) {
                connection.run("BEGIN");
                // BEGIN alone takes no snapshot; the first read does.
                connection.run("SELECT version FROM format");
            }
        }
        ~Transaction() {
            if (owns) {
                connection.roll_back();
            }
        }
        Connection& connection;
        bool owns;
    };

    /// A statement that has reached its end would begin anew if it were stepped again.
    struct Walk {
        Statement statement;
        bool ended = false;
    };

    [[nodiscard]] Walk walk(Connection& connection, std::string_view columns,
                            std::string_view source, std::string_view shard,
                            std::string_view order) const {
        Walk walk{Statement(connection, fmt::format("SELECT {} FROM {} WHERE {} = ?1 ORDER BY {}",
                                                    columns, source, shard, order))};
        walk.statement.bind(1, std::int64_t{shard_});
        return walk;
    }

    static bool step(Walk& walk) {
        if (!walk.ended) {
            walk.ended = !walk.statement.step();
        }
        return !walk.ended;
    }

    Shard shard_;
    Transaction transaction_;
    Walk accounts_;
    Walk entries_;
    Walk holds_;
    Walk refusals_;
};

}  // namespace

std::unique_ptr<ShardSnapshot> open_snapshot(Connection& connection, Shard shard) {
    return std::make_unique<SqliteSnapshot>(connection, shard);
}

}  // namespace passbook::store::sqlite
