// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "ledger/state.h"
#include "store/fences.h"
#include "store/ordered.h"
#include "store/postgres/parameters.h"
#include "store/wanted.h"

/// What a batch asks for and writes, dealt out to statements.

namespace passbook::store::postgres {

/// How many shards one statement of the write path may name: an engine that spreads a store by
/// shard locks and writes one at a time.
enum class Reach { all_shards, one_shard };

[[nodiscard]] Shard shard_at(const AccountPlace& account) noexcept;
[[nodiscard]] Shard shard_at(const ledger::SubjectKey& key);
[[nodiscard]] Shard shard_at(const EntryId& id);
[[nodiscard]] Shard shard_at(const ledger::Account& account);
[[nodiscard]] Shard shard_at(const StandingEntry& entry);
[[nodiscard]] Shard shard_at(const ledger::StoredRefusal& refusal);
[[nodiscard]] Shard shard_at(const Fence& fence);

template <class T>
using Items = std::vector<const T*>;

/// The part of one statement, with the place of each item among all. Points into what it was made
/// of.
template <class T>
struct Turn {
    Items<T> items;
    std::vector<std::size_t> places;
};

/// One turn for all, or one for each shard, in the shards' order. No items, no turn.
template <class T>
[[nodiscard]] std::vector<Turn<T>> turns_of(const Items<T>& items, Reach reach) {
    std::map<Shard, Turn<T>> by_shard;
    for (std::size_t i = 0; i < items.size(); ++i) {
        Turn<T>& turn = by_shard[reach == Reach::one_shard ? shard_at(*items[i]) : Shard{0}];
        turn.items.push_back(items[i]);
        turn.places.push_back(i);
    }
    std::vector<Turn<T>> turns;
    for (auto& [_, turn] : by_shard) {
        turns.push_back(std::move(turn));
    }
    return turns;
}

template <class T>
[[nodiscard]] Items<T> items_of(const std::vector<T>& values) {
    Items<T> items;
    items.reserve(values.size());
    for (const T& value : values) {
        items.push_back(&value);
    }
    return items;
}

template <class T>
[[nodiscard]] std::vector<Turn<T>> turns_of(const std::vector<T>& values, Reach reach) {
    return turns_of(items_of(values), reach);
}

/// The first parameter of a statement of the write path: the shard of each row, or the one shard of
/// all.
class ShardColumn {
public:
    explicit ShardColumn(Reach reach) : reach_(reach), shards_(Type::smallint) {}

    void add(Shard shard);
    [[nodiscard]] Parameters begin() &&;

private:
    Reach reach_;
    Shard last_ = 0;
    Array shards_;
};

// As the leading parameters of the statements in queries.h.
[[nodiscard]] Parameters parameters_of(const Items<AccountPlace>& accounts, Reach reach);
[[nodiscard]] Parameters parameters_of(const Items<ledger::SubjectKey>& keys, Reach reach);
[[nodiscard]] Parameters parameters_of(const Items<EntryId>& ids, Reach reach);
[[nodiscard]] Parameters parameters_of(const Items<Fence>& fences, Reach reach);
[[nodiscard]] Array array_of(const std::vector<AssetCode>& codes);

/// For `legs`: what lies in `shard` and names one of `subjects`.
[[nodiscard]] Parameters legs_parameters(Shard shard, const std::vector<EntryId>& subjects);

}  // namespace passbook::store::postgres
