// SPDX-License-Identifier: Apache-2.0
#include "lab/plain_tables.h"

#include <fmt/format.h>

namespace passbook::lab {

void create_plain_tables(Session& session) {
    session.change(
        "CREATE TABLE account (id VARCHAR(64) PRIMARY KEY, balance BIGINT NOT NULL, "
        "version BIGINT NOT NULL)");
    session.change(
        "CREATE TABLE entry (account VARCHAR(64) NOT NULL, idempotency_key VARCHAR(128) NOT NULL, "
        "amount BIGINT NOT NULL, PRIMARY KEY (account, idempotency_key))");
}

std::int64_t sum_of_balances(Session& session) {
    return session.row("SELECT coalesce(sum(balance), 0) FROM account").at(0);
}

std::int64_t sum_of_entries(Session& session) {
    return session.row("SELECT coalesce(sum(amount), 0) FROM entry").at(0);
}

std::int64_t count_of_entries(Session& session) {
    return session.row("SELECT count(*) FROM entry").at(0);
}

Text actor_name(std::size_t number) {
    return verbatim(number < 26 ? std::string(1, static_cast<char>('A' + static_cast<int>(number)))
                                : fmt::format("{}", number + 1));
}

}  // namespace passbook::lab
