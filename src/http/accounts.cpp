// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "http/lists.h"
#include "http/rows.h"
#include "http/writes.h"

namespace passbook::http {
namespace {

Result<Response, Problem> get_account(Service&, store::Reader& reader, ReadArguments& arguments) {
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    const auto id = account_in_path(arguments);
    if (!id) {
        return fail(id.error());
    }
    const auto view = reader.account(*id);
    if (!view) {
        return fail(missing(Code::account_not_found, "Account", id->text()));
    }
    Response response;
    JsonWriter out(response.body);
    write_account(out, view->account, view->due);
    return response;
}

Result<Response, Problem> list_accounts(Service&, store::Reader& reader, ReadArguments& arguments) {
    const auto limit = arguments.query.take_limit();
    if (!limit) {
        return fail(limit.error());
    }
    const auto cursor = take_cursor(arguments.query, 'a');
    if (!cursor) {
        return fail(cursor.error());
    }
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    const auto after = *cursor ? AccountId::parse(**cursor) : std::nullopt;
    const auto rows = reader.accounts(after, *limit + 1);
    return page(
        rows, *limit, 'a',
        [&](JsonWriter& out, std::size_t i) { write_account(out, rows[i].account, rows[i].due); },
        [](const store::AccountView& row) { return row.account.id.text(); });
}

Result<Response, Problem> list_entries(Service&, store::Reader& reader, ReadArguments& arguments) {
    const auto id = account_in_path(arguments);
    if (!id) {
        return fail(id.error());
    }
    const auto limit = arguments.query.take_limit();
    if (!limit) {
        return fail(limit.error());
    }
    const auto cursor = take_cursor(arguments.query, 'e');
    if (!cursor) {
        return fail(cursor.error());
    }
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    std::int64_t after = 0;
    if (*cursor) {
        const char* end = (*cursor)->data() + (*cursor)->size();
        const auto [last, error] = std::from_chars((*cursor)->data(), end, after);
        if (error != std::errc() || last != end || after < 1) {
            return fail(Problem{Code::invalid_cursor, "this cursor leads nowhere", {}});
        }
    }
    auto rows = reader.entries(*id, after, *limit + 1);
    if (rows.empty() && !reader.account(*id)) {
        return fail(missing(Code::account_not_found, "Account", id->text()));
    }
    return page(
        rows, *limit, 'e', [&](JsonWriter& out, std::size_t i) { write_line(out, rows[i]); },
        [](const ledger::Entry& row) { return std::to_string(row.seq); });
}

Result<Response, Problem> get_balance(Service& service, store::Reader& reader,
                                      ReadArguments& arguments) {
    const auto id = account_in_path(arguments);
    if (!id) {
        return fail(id.error());
    }
    const auto at_text = arguments.query.take("at");
    const auto by = arguments.query.take("by").value_or("recorded");
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    const auto at = at_text ? parse_instant(*at_text) : std::optional(service.engine.now());
    if (!at) {
        return fail(Problem{Code::invalid_time,
                            "the parameter at: a time is RFC 3339 with an "
                            "offset, such as 2026-01-31T09:00:00Z",
                            {}});
    }
    if (by != "recorded" && by != "effective") {
        return fail(Problem{Code::invalid_parameter, "by must be recorded or effective", {}});
    }
    const auto balance =
        by == "recorded" ? reader.balance_at(*id, *at) : reader.balance_by_effective(*id, *at);
    if (!balance) {
        return fail(missing(Code::account_not_found, "Account", id->text()));
    }
    Response response;
    JsonWriter out(response.body);
    out.begin_object();
    out.name("account").text(id->text());
    out.name("at").text(to_text(*at));
    out.name("by").text(by);
    out.name("balance").number(balance->balance);
    out.name("seq").number(balance->seq);
    out.end_object();
    return response;
}

}  // namespace

void add_account_routes(std::vector<Route>& routes, Service& service) {
    const auto post = [&](std::string_view pattern, std::string_view kind) {
        routes.push_back(command_route(service, pattern, kind, "account"));
    };
    post("/v1/accounts/{id}/spends", "spend");
    post("/v1/accounts/{id}/grants", "grant");
    post("/v1/accounts/{id}/freeze", "freeze");
    post("/v1/accounts/{id}/unfreeze", "unfreeze");
    post("/v1/accounts/{id}/close", "close");
    routes.push_back(put_route(service, "/v1/accounts/{id}", read_put_account, "id"));
    routes.push_back(stale_read_route(service, "/v1/accounts", list_accounts));
    routes.push_back(stale_read_route(service, "/v1/accounts/{id}", get_account));
    routes.push_back(stale_read_route(service, "/v1/accounts/{id}/entries", list_entries));
    routes.push_back(stale_read_route(service, "/v1/accounts/{id}/balance", get_balance));
}

}  // namespace passbook::http
