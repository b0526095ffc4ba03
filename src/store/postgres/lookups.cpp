// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/lookups.h"

#include <chrono>

#include "base/assert.h"
#include "store/postgres/queries.h"

namespace passbook::store::postgres {
namespace {

constexpr int shard_count = 256;

/// The server times no wait for a standby, and a client is better told soon that its outcome stays
/// unknown.
constexpr std::chrono::seconds confirm_patience{5};

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

void add_refusals(const Result& result, const std::vector<std::size_t>& places,
                  std::vector<std::optional<ledger::Outcome>>& outcomes) {
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        outcomes[places.at(place_of(row))] = read_refusal(row, 1);
    }
}

}  // namespace

void add_legs(Connection& connection, Originals& originals) {
    const auto subjects = originals.with_legs();
    ask_every_shard(connection, subjects.ids,
                    [&](const Result& result) { originals.add(result, subjects.places); });
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

/// A key stands for entries or for a refusal, never for both, and for ever: what the second
/// statement sees beyond the first cannot contradict it.
std::vector<std::optional<ledger::Outcome>> look_up_outcomes(
    Connection& connection, const std::vector<ledger::SubjectKey>& keys, Reach reach) {
    const auto turns = turns_of(keys, reach);
    Pipeline trip(connection);
    for (const Query* query : {&queries(reach).records, &queries(reach).refusals}) {
        for (const auto& turn : turns) {
            trip.add(*query, parameters_of(turn.items, reach));
        }
    }
    trip.sync();
    Originals records(keys.size());
    for (const auto& turn : turns) {
        records.add(trip.next(), turn.places);
    }
    std::vector<std::optional<ledger::Outcome>> outcomes(keys.size());
    for (const auto& turn : turns) {
        add_refusals(trip.next(), turn.places, outcomes);
    }
    trip.finish();
    if (reach == Reach::one_shard) {
        add_legs(connection, records);
    }
    auto found = std::move(records).take();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (found[i]) {
            outcomes[i] = std::move(found[i]->record);
        }
    }
    return outcomes;
}

void confirm(Connection& connection) {
    PASSBOOK_ASSERT(!connection.in_transaction());
    const auto usual = connection.set_patience(confirm_patience);
    try {
        (void)run_one(connection, queries().confirm);
    } catch (...) {
        connection.set_patience(usual);
        throw;
    }
    connection.set_patience(usual);
    if (!connection.warning().empty()) {
        throw Failure(FailureKind::unavailable, connection.warning());
    }
}

}  // namespace passbook::store::postgres
