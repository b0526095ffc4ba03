// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/mariadb_reader.h"

#include "store/mariadb/link.h"
#include "store/mariadb/lookups.h"
#include "store/mariadb/places.h"
#include "store/mariadb/queries.h"
#include "store/mariadb/snapshot.h"
#include "store/read_rows.h"

namespace passbook::store::mariadb {
namespace {

AccountView view_of(const Row& row) {
    return {read_account(row), row.integer(account_column_count)};
}

std::int64_t shard_number(const AccountId& account) {
    return shard_of(account.text());
}

/// The place of an account as the leading parameters of a statement.
Parameters at(const AccountId& account) {
    Parameters parameters;
    parameters.integer(shard_number(account)).text(account.text());
    return parameters;
}

class MariadbReader final : public Reader {
public:
    MariadbReader(const Address& address, const Clock* clock)
        : link_(link_to(address, Purpose::read)), clock_(clock) {}

    std::vector<ledger::Asset> assets() override {
        return read_all(ask(queries().all_assets), [](const Row& row) { return read_asset(row); });
    }

    std::optional<ledger::Asset> asset(const AssetCode& code) override {
        const Result result = ask(queries().assets, Parameters().text(json_of(std::vector{code})));
        return result.rows() == 0 ? std::nullopt : std::optional(read_asset(result.row(0)));
    }

    std::optional<AccountView> account(const AccountId& id) override {
        const Result result =
            ask(queries().account,
                Parameters().instant(given_time()).integer(shard_number(id)).text(id.text()));
        return result.rows() == 0 ? std::nullopt : std::optional(view_of(result.row(0)));
    }

    std::vector<AccountView> accounts(const std::optional<AccountId>& after,
                                      std::size_t limit) override {
        const std::int64_t shard = after ? shard_number(*after) : 0;
        return read_all(
            ask(queries().accounts_after, Parameters()
                                              .instant(given_time())
                                              .integer(shard)
                                              .integer(shard)
                                              .text(after ? after->text() : "")
                                              .integer(static_cast<std::int64_t>(limit))),
            view_of);
    }

    std::vector<ledger::Entry> entries(const AccountId& account, std::int64_t after_seq,
                                       std::size_t limit) override {
        return read_all(ask(queries().entries_after, at(account).integer(after_seq).integer(
                                                         static_cast<std::int64_t>(limit))),
                        [](const Row& row) { return read_entry(row); });
    }

    std::optional<BalanceAt> balance_at(const AccountId& account, Instant instant) override {
        return balance(ask(queries().balance_at, at(account).instant(instant).instant(instant)));
    }

    std::optional<BalanceAt> balance_by_effective(const AccountId& account,
                                                  Instant instant) override {
        return balance(
            ask(queries().balance_by_effective,
                Parameters().instant(instant).integer(shard_number(account)).text(account.text())));
    }

    std::optional<ledger::Original> transaction(const EntryId& id) override {
        return link_.with_fresh(
            [&](Connection& connection) { return look_up_originals(connection, {id}).at(0); });
    }

    std::optional<ledger::Hold> hold(const EntryId& id) override {
        const Result result = ask(queries().holds, Parameters().text(json_of(std::vector{id})));
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

private:
    /// One statement is one snapshot, or part of the one that is open.
    Result ask(const Query& query, const Parameters& parameters = {}) {
        return link_.with_fresh(
            [&](Connection& connection) { return connection.ask(query, parameters); });
    }

    static std::optional<BalanceAt> balance(const Result& result) {
        if (result.rows() == 0) {
            return std::nullopt;
        }
        return BalanceAt{.balance = result.row(0).integer(1), .seq = result.row(0).integer(0)};
    }

    [[nodiscard]] std::optional<Instant> given_time() const {
        return clock_ == nullptr ? std::nullopt : std::optional(clock_->now());
    }

    Link<Connection> link_;
    const Clock* clock_;
};

/// A key stands for entries or for a refusal, never for both, and for ever: what the second
/// statement sees beyond the first cannot contradict it.
std::optional<ledger::Outcome> MariadbReader::outcome(const ledger::SubjectKey& key) {
    return link_.with_fresh([&](Connection& connection) -> std::optional<ledger::Outcome> {
        if (auto record = look_up_records(connection, {key}).at(0)) {
            return std::move(record->record);
        }
        if (auto refusal = look_up_refusals(connection, {key}).at(0)) {
            return std::move(*refusal);
        }
        return std::nullopt;
    });
}

}  // namespace

std::unique_ptr<Reader> open_reader(const Address& address, const Clock* clock) {
    return std::make_unique<MariadbReader>(address, clock);
}

}  // namespace passbook::store::mariadb
