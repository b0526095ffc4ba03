// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/lookups.h"

#include "store/mariadb/places.h"
#include "store/mariadb/queries.h"
#include "store/read_rows.h"

namespace passbook::store::mariadb {
namespace {

std::vector<std::optional<ledger::Original>> look_up(Connection& connection, const Query& query,
                                                     const std::string& asked, std::size_t count) {
    Originals originals(count);
    originals.add(connection.ask(query, Parameters().text(asked)));
    const auto subjects = originals.with_legs();
    if (!subjects.ids.empty()) {
        originals.add(connection.ask(queries().legs, Parameters().text(json_of(subjects.ids))),
                      subjects.places);
    }
    return std::move(originals).take();
}

}  // namespace

std::vector<std::optional<ledger::Original>> look_up_records(
    Connection& connection, const std::vector<ledger::SubjectKey>& keys) {
    return look_up(connection, queries().records, json_of(keys), keys.size());
}

std::vector<std::optional<ledger::StoredRefusal>> look_up_refusals(
    Connection& connection, const std::vector<ledger::SubjectKey>& keys) {
    return read_refusals(connection.ask(queries().refusals, Parameters().text(json_of(keys))),
                         keys.size());
}

std::vector<std::optional<ledger::Original>> look_up_originals(Connection& connection,
                                                               const std::vector<EntryId>& ids) {
    return look_up(connection, queries().originals, json_of(ids), ids.size());
}

}  // namespace passbook::store::mariadb
