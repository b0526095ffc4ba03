// SPDX-License-Identifier: Apache-2.0
#include "http/lists.h"
#include "http/rows.h"
#include "http/writes.h"

namespace passbook::http {
namespace {

Result<Response, Problem> get_transaction(Service&, store::Reader& reader,
                                          ReadArguments& arguments) {
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    const auto id = entry_in_path(arguments);
    if (!id) {
        return fail(id.error());
    }
    const auto original = reader.transaction(*id);
    if (!original) {
        return fail(missing(Code::transaction_not_found, "Transaction", arguments.ids.front()));
    }
    Response response;
    JsonWriter out(response.body);
    write_record(out, original->record, &original->reversed);
    return response;
}

}  // namespace

void add_transaction_routes(std::vector<Route>& routes, Service& service) {
    routes.push_back(command_route(service, "/v1/transfers", "transfer"));
    routes.push_back(command_route(service, "/v1/transactions", "transaction"));
    routes.push_back(
        command_route(service, "/v1/transactions/{id}/reverse", "reverse", "transaction"));
    routes.push_back(stale_read_route(service, "/v1/transactions/{id}", get_transaction));
}

}  // namespace passbook::http
