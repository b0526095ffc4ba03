// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/snapshot.h"

#include "store/mariadb/queries.h"
#include "store/read_rows.h"

namespace passbook::store::mariadb {
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

    bool next(Connection& connection, Shard shard, T& row) {
        if (at_ == page_.size() && !is_last_) {
            const Result result =
                connection.ask(query_, behind_(shard, page_.empty() ? nullptr : &page_.back()));
            page_ = read_all(result, [&](const Row& each) { return read_(each, 0); });
            at_ = 0;
            is_last_ = result.rows() < page_size;
        }
        if (at_ == page_.size()) {
            return false;
        }
        row = page_[at_++];
        return true;
    }

private:
    const Query& query_;
    Read read_;
    Behind behind_;
    std::vector<T> page_;
    std::size_t at_ = 0;
    bool is_last_ = false;
};

std::string_view text_or_none(const std::string* text) {
    return text == nullptr ? std::string_view() : *text;
}

Parameters behind_account(Shard shard, const ledger::Account* last) {
    Parameters parameters;
    parameters.integer(std::int64_t{shard})
        .text(text_or_none(last == nullptr ? nullptr : &last->id.text()))
        .integer(page_size);
    return parameters;
}

/// Shard and account, then the account again, which goes with what follows.
Parameters behind_text(Shard shard, const std::string* account) {
    Parameters parameters;
    parameters.integer(std::int64_t{shard}).text(text_or_none(account)).text(text_or_none(account));
    return parameters;
}

Parameters behind_entry(Shard shard, const ledger::Entry* last) {
    return behind_text(shard, last == nullptr ? nullptr : &last->account.text())
        .integer(last == nullptr ? 0 : last->seq)
        .integer(page_size);
}
Parameters behind_hold(Shard shard, const ledger::Hold* last) {
    return behind_text(shard, last == nullptr ? nullptr : &last->opened.account.text())
        .integer(last == nullptr ? 0 : last->opened.seq)
        .integer(page_size);
}
Parameters behind_refusal(Shard shard, const ledger::StoredRefusal* last) {
    return behind_text(shard, last == nullptr ? nullptr : &last->subject.text())
        .text(text_or_none(last == nullptr ? nullptr : &last->request.key.text()))
        .integer(page_size);
}

class MariadbSnapshot final : public ShardSnapshot {
public:
    MariadbSnapshot(std::shared_ptr<Connection> connection, Shard shard)
        : connection_(std::move(connection)), shard_(shard), owns_(!connection_->in_transaction()) {
        if (owns_) {
            connection_->run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
        }
    }
    ~MariadbSnapshot() override {
        if (owns_) {
            connection_->roll_back();
        }
    }
    MariadbSnapshot(const MariadbSnapshot&) = delete;
    MariadbSnapshot& operator=(const MariadbSnapshot&) = delete;

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
    return std::make_unique<MariadbSnapshot>(std::move(connection), shard);
}

}  // namespace passbook::store::mariadb
