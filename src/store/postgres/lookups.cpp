// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/lookups.h"

#include <algorithm>
#include <numeric>

#include "store/postgres/queries.h"
#include "store/postgres/rows.h"

namespace passbook::store::postgres {
namespace {

constexpr int shard_count = 256;

std::size_t place_of(const Row& row, const std::vector<std::size_t>& places) {
    return places.at(static_cast<std::size_t>(row.integer(0) - 1));
}

bool may_have_legs(ledger::EntryKind kind) {
    using enum ledger::EntryKind;
    return kind == transfer || kind == transaction || kind == reverse || kind == commit;
}

/// Every shard's answer to who names one of the subjects.
template <class Take>
void ask_every_shard(Connection& connection, const std::vector<EntryId>& subjects, Take take) {
    if (subjects.empty()) {
        return;
    }
    Pipeline trip(connection);
    for (int shard = 0; shard < shard_count; ++shard) {
        trip.add(queries(Reach::one_shard).legs,
                 legs_parameters(static_cast<Shard>(shard), subjects));
    }
    trip.sync();
    for (int shard = 0; shard < shard_count; ++shard) {
        take(trip.next());
    }
    trip.finish();
}

}  // namespace

void Originals::add(const Result& result, const std::vector<std::size_t>& places) {
    const bool has_reversals = result.columns() > 1 + entry_column_count;
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        lines_[place_of(row, places)].emplace_back(
            read_entry(row, 1), has_reversals ? row.integer(1 + entry_column_count) : 0);
    }
}

Turn<ledger::Entry> Originals::with_legs() const {
    Turn<ledger::Entry> turn;
    for (std::size_t place = 0; place < lines_.size(); ++place) {
        if (!lines_[place].empty() && may_have_legs(lines_[place].front().first.kind)) {
            turn.items.push_back(&lines_[place].front().first);
            turn.places.push_back(place);
        }
    }
    return turn;
}

/// The subject's entry first, the legs by their account ids.
std::optional<ledger::Original> Originals::original_of(std::vector<Line> lines) {
    if (lines.empty()) {
        return std::nullopt;
    }
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return std::pair(a.first.subject.has_value(), a.first.account) <
               std::pair(b.first.subject.has_value(), b.first.account);
    });
    ledger::Original original;
    for (auto& [entry, reversed] : lines) {
        original.record.entries.push_back(std::move(entry));
        original.reversed.push_back(reversed);
    }
    return original;
}

std::vector<std::optional<ledger::Original>> Originals::take() && {
    std::vector<std::optional<ledger::Original>> originals;
    originals.reserve(lines_.size());
    for (std::vector<Line>& lines : lines_) {
        originals.push_back(original_of(std::move(lines)));
    }
    return originals;
}

void add_legs(Connection& connection, Originals& originals) {
    const auto turn = originals.with_legs();
    std::vector<EntryId> subjects;
    for (const ledger::Entry* entry : turn.items) {
        subjects.push_back(entry->id());
    }
    ask_every_shard(connection, subjects,
                    [&](const Result& result) { originals.add(result, turn.places); });
}

std::vector<AccountId> look_up_touched(Connection& connection,
                                       const std::vector<EntryId>& originals, Reach reach) {
    std::vector<AccountId> touched;
    const auto take = [&touched](const Result& result) {
        for (int i = 0; i < result.rows(); ++i) {
            touched.push_back(AccountId::trusted(std::string(result.row(i).text(1))));
        }
    };
    if (reach == Reach::one_shard) {
        ask_every_shard(connection, originals, take);
    } else if (!originals.empty()) {
        take(
            run_one(connection, queries(reach).touched, parameters_of(items_of(originals), reach)));
    }
    return touched;
}

void read_refusals(const Result& result, const std::vector<std::size_t>& places,
                   std::vector<std::optional<ledger::StoredRefusal>>& refusals) {
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        refusals[place_of(row, places)] = read_refusal(row, 1);
    }
}

}  // namespace passbook::store::postgres
