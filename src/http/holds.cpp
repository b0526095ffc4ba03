// SPDX-License-Identifier: Apache-2.0
#include "http/lists.h"
#include "http/rows.h"
#include "http/writes.h"

namespace passbook::http {
namespace {

Result<Response, Problem> get_hold(Service& service, store::Reader& reader,
                                   ReadArguments& arguments) {
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    const auto id = entry_in_path(arguments);
    if (!id) {
        return fail(id.error());
    }
    const auto hold = reader.hold(*id);
    if (!hold) {
        return fail(missing(Code::hold_not_found, "Hold", arguments.ids.front()));
    }
    Response response;
    JsonWriter out(response.body);
    write_hold(out, *hold, service.engine.now());
    return response;
}

}  // namespace

void add_hold_routes(std::vector<Route>& routes, Service& service) {
    routes.push_back(command_route(service, "/v1/holds", "hold"));
    routes.push_back(command_route(service, "/v1/holds/{id}/commit", "commit", "hold"));
    routes.push_back(command_route(service, "/v1/holds/{id}/void", "void", "hold"));
    routes.push_back(stale_read_route(service, "/v1/holds/{id}", get_hold));
}

}  // namespace passbook::http
