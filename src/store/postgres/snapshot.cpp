// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/snapshot.h"

#include "store/postgres/queries.h"
#include "store/read_rows.h"

namespace passbook::store::postgres {
namespace {

constexpr std::int64_t page_size = 1'000;

/// One sequence of rows, page by page, each page behind the last row of the one before.
template <class T>
class Walk {
public:
    using Read = T (*)(const Row& row, int from);
    using Behind = Parameters (*)(Shard shard, const T* last);

    Walk(const Query& query, Read read, Behind behind)
        : query_(query), read_(read), behind_(behind) {}

    void queue_first(Pipeline& trip, Shard shard) const {
        trip.add(query_, behind_(shard, nullptr));
    }
    void take_first(Pipeline& trip) {
        take(trip.next());
    }

    bool next(Connection& connection, Shard shard, T& row) {
        if (at_ == page_.size() && !is_last_) {
            take(run_one(connection, query_, behind_(shard, &page_.back())));
        }
        if (at_ == page_.size()) {
            return false;
        }
        row = page_[at_++];
        return true;
    }

private:
    void take(const Result& result) {
        page_ = read_all(result, [&](const Row& row) { return read_(row, 0); });
        at_ = 0;
        is_last_ = result.rows() < page_size;
    }

    const Query& query_;
    Read read_;
    Behind behind_;
    std::vector<T> page_;
    std::size_t at_ = 0;
    bool is_last_ = false;
};

Parameters start(Shard shard, const std::string* text) {
    Parameters parameters;
    parameters.smallint(shard).text(text == nullptr ? std::string_view() : *text);
    return parameters;
}

Parameters behind_account(Shard shard, const ledger::Account* last) {
    return start(shard, last == nullptr ? nullptr : &last->id.text()).bigint(page_size);
}
Parameters behind_entry(Shard shard, const ledger::Entry* last) {
    return start(shard, last == nullptr ? nullptr : &last->account.text())
        .bigint(last == nullptr ? 0 : last->seq)
        .bigint(page_size);
}
Parameters behind_hold(Shard shard, const ledger::Hold* last) {
    return start(shard, last == nullptr ? nullptr : &last->opened.account.text())
        .bigint(last == nullptr ? 0 : last->opened.seq)
        .bigint(page_size);
}
Parameters behind_refusal(Shard shard, const ledger::StoredRefusal* last) {
    return start(shard, last == nullptr ? nullptr : &last->subject.text())
        .text(last == nullptr ? std::string_view() : last->request.key.text())
        .bigint(page_size);
}

class PostgresSnapshot final : public ShardSnapshot {
public:
    PostgresSnapshot(std::shared_ptr<Connection> connection, Shard shard)
        : connection_(std::move(connection)), shard_(shard), owns_(!connection_->in_transaction()) {
        try {
            open();
        } catch (...) {
            connection_->roll_back();
            throw;
        }
    }
    ~PostgresSnapshot() override {
        if (owns_) {
            connection_->roll_back();
        }
    }
    PostgresSnapshot(const PostgresSnapshot&) = delete;
    PostgresSnapshot& operator=(const PostgresSnapshot&) = delete;

    bool next(ledger::Account& account) override {
        return accounts_.next(*connection_, shard_, account);
    }
    bool next(ledger::Entry& entry) override {
        return entries_.next(*connection_, shard_, entry);
    }
    bool next(ledger::Hold& hold) override {
        return holds_.next(*connection_, shard_, hold);
    }
    bool next(ledger::StoredRefusal& refusal) override {
        return refusals_.next(*connection_, shard_, refusal);
    }

private:
    /// Brings the first page of each sequence, which fixes the instant of all.
    void open() {
        Pipeline trip(*connection_);
        if (owns_) {
            trip.add(queries().begin_reading);
        }
        accounts_.queue_first(trip, shard_);
        entries_.queue_first(trip, shard_);
        holds_.queue_first(trip, shard_);
        refusals_.queue_first(trip, shard_);
        trip.sync();
        if (owns_) {
            (void)trip.next();
        }
        accounts_.take_first(trip);
        entries_.take_first(trip);
        holds_.take_first(trip);
        refusals_.take_first(trip);
        trip.finish();
    }

    std::shared_ptr<Connection> connection_;
    Shard shard_;
    bool owns_;
    Walk<ledger::Account> accounts_{queries().shard_accounts, read_account<Row>, behind_account};
    Walk<ledger::Entry> entries_{queries().shard_entries, read_entry<Row>, behind_entry};
    Walk<ledger::Hold> holds_{queries().shard_holds, read_hold<Row>, behind_hold};
    Walk<ledger::StoredRefusal> refusals_{queries().shard_refusals, read_refusal<Row>,
                                          behind_refusal};
};

}  // namespace

std::unique_ptr<ShardSnapshot> open_snapshot(std::shared_ptr<Connection> connection, Shard shard) {
    return std::make_unique<PostgresSnapshot>(std::move(connection), shard);
}

}  // namespace passbook::store::postgres
