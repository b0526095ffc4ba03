// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_reader.h"

#include <utility>

#include "store/postgres/link.h"
#include "store/postgres/lookups.h"
#include "store/postgres/places.h"
#include "store/postgres/postgres_standby.h"
#include "store/postgres/queries.h"
#include "store/postgres/snapshot.h"
#include "store/read_rows.h"

namespace passbook::store::postgres {
namespace {

AccountView view_of(const Row& row) {
    return {read_account(row), row.integer(account_column_count)};
}

/// The place of an account as the leading parameters of a statement.
Parameters at(const AccountId& account) {
    Parameters parameters;
    parameters.smallint(shard_of(account.text())).text(account.text());
    return parameters;
}

class PostgresReader final : public Reader {
public:
    PostgresReader(const Address& address, Purpose purpose, const Clock* clock)
        : reach_(address.reach()), link_(link_to(address, purpose)), clock_(clock) {}

    std::vector<ledger::Asset> assets() override {
        return read_all(ask(queries().all_assets), [](const Row& row) { return read_asset(row); });
    }

    std::optional<ledger::Asset> asset(const AssetCode& code) override {
        const Result result = ask(queries().assets, Parameters().array(array_of({code})));
        return result.rows() == 0 ? std::nullopt : std::optional(read_asset(result.row(0), 2));
    }

    std::optional<AccountView> account(const AccountId& id) override {
        const Result result = ask(
            queries().account,
            Parameters().timestamptz(given_time()).smallint(shard_of(id.text())).text(id.text()));
        return result.rows() == 0 ? std::nullopt : std::optional(view_of(result.row(0)));
    }

    std::vector<AccountView> accounts(const std::optional<AccountId>& after,
                                      std::size_t limit) override {
        return read_all(
            ask(queries().accounts_after, Parameters()
                                              .timestamptz(given_time())
                                              .smallint(after ? shard_of(after->text()) : 0)
                                              .text(after ? after->text() : "")
                                              .bigint(static_cast<std::int64_t>(limit))),
            view_of);
    }

    std::vector<ledger::Entry> entries(const AccountId& account, std::int64_t after_seq,
                                       std::size_t limit) override {
        return read_all(ask(queries().entries_after,
                            at(account).bigint(after_seq).bigint(static_cast<std::int64_t>(limit))),
                        [](const Row& row) { return read_entry(row); });
    }

    std::optional<BalanceAt> balance_at(const AccountId& account, Instant instant) override {
        return balance(queries().balance_at, account, instant);
    }

    std::optional<BalanceAt> balance_by_effective(const AccountId& account,
                                                  Instant instant) override {
        return balance(queries().balance_by_effective, account, instant);
    }

    std::optional<ledger::Original> transaction(const EntryId& id) override {
        const std::vector asked{id};
        return link_.with_fresh([&](Connection& connection) {
            Originals found(1);
            found.add(run_one(connection, queries(reach_).originals,
                              parameters_of(items_of(asked), reach_)),
                      {0});
            if (reach_ == Reach::one_shard) {
                add_legs(connection, found);
            }
            return std::move(found).take().at(0);
        });
    }

    std::optional<ledger::Hold> hold(const EntryId& id) override {
        const std::vector asked{id};
        const Result result = ask(queries(reach_).holds, parameters_of(items_of(asked), reach_));
        return result.rows() == 0 ? std::nullopt : std::optional(read_hold(result.row(0)));
    }

    std::optional<ledger::Outcome> outcome(const ledger::SubjectKey& key) override;

    std::unique_ptr<ShardSnapshot> snapshot(Shard shard) override {
        return link_.with_fresh([&](Connection&) { return open_snapshot(link_.get(), shard); });
    }

    void ping() override {
        const Result result = ask(queries().read_only);
        if (result.rows() != 1) {
            throw Failure(FailureKind::broken, "the store has no format row");
        }
        if (result.row(0).boolean(0)) {
            throw Failure(FailureKind::unavailable, "the database is read-only");
        }
    }

    Position position() {
        const Result result = ask(queries().position);
        const Row row = result.row(0);
        const auto stale = row.optional_integer(1);
        return {.log = std::string(row.text(0)),
                .stale = stale ? std::optional(std::chrono::seconds(*stale)) : std::nullopt};
    }

private:
    /// One statement is one snapshot, or part of the one that is open.
    Result ask(const Query& query, const Parameters& parameters = {}) {
        return link_.with_fresh(
            [&](Connection& connection) { return run_one(connection, query, parameters); });
    }

    std::optional<BalanceAt> balance(const Query& query, const AccountId& account,
                                     Instant instant) {
        const Result result = ask(query, at(account).timestamptz(instant));
        if (result.rows() == 0) {
            return std::nullopt;
        }
        return BalanceAt{.balance = result.row(0).integer(1), .seq = result.row(0).integer(0)};
    }

    [[nodiscard]] std::optional<Instant> given_time() const {
        return clock_ == nullptr ? std::nullopt : std::optional(clock_->now());
    }

    Reach reach_;
    Link<Connection> link_;
    const Clock* clock_;
};

/// What it tells is as good as an answer to the request, so it is confirmed like one; an open
/// snapshot is of the past and tells no client.
std::optional<ledger::Outcome> PostgresReader::outcome(const ledger::SubjectKey& key) {
    return link_.with_fresh([&](Connection& connection) {
        auto found = look_up_outcomes(connection, {key}, reach_).at(0);
        if (found && !connection.in_transaction()) {
            confirm(connection);
        }
        return found;
    });
}

class PostgresStandbyReader final : public StandbyReader {
public:
    PostgresStandbyReader(const Address& address, const Clock* clock)
        : reader_(address, Purpose::stale, clock) {}

    Position position() override {
        return reader_.position();
    }
    Reader& rows() override {
        return reader_;
    }

private:
    PostgresReader reader_;
};

class PostgresStandby final : public Standby {
public:
    PostgresStandby(const std::string& url, const Clock* clock) : address_(url), clock_(clock) {}

    std::string describe() const override {
        return address_.describe();
    }
    std::unique_ptr<StandbyReader> reader() override {
        return std::make_unique<PostgresStandbyReader>(address_, clock_);
    }

private:
    Address address_;
    const Clock* clock_;
};

}  // namespace

std::unique_ptr<Reader> open_reader(const Address& address, const Clock* clock) {
    return std::make_unique<PostgresReader>(address, Purpose::read, clock);
}

std::unique_ptr<Standby> open_standby(const std::string& url, const Clock& clock) {
    return std::make_unique<PostgresStandby>(
        url, dynamic_cast<const SystemClock*>(&clock) == nullptr ? &clock : nullptr);
}

}  // namespace passbook::store::postgres
