// SPDX-License-Identifier: Apache-2.0
#include "http/lists.h"
#include "http/rows.h"
#include "http/writes.h"

namespace passbook::http {
namespace {

Result<Response, Problem> get_asset(Service&, store::Reader& reader, ReadArguments& arguments) {
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    const auto code = AssetCode::parse(arguments.ids.front());
    if (!code) {
        return fail(Problem{Code::invalid_id,
                            "the asset in the path: " + std::string(info(Code::invalid_id).meaning),
                            {}});
    }
    const auto asset = reader.asset(*code);
    if (!asset) {
        return fail(missing(Code::asset_not_found, "Asset", code->text()));
    }
    Response response;
    JsonWriter out(response.body);
    write_asset(out, *asset);
    return response;
}

Result<Response, Problem> list_assets(Service&, store::Reader& reader, ReadArguments& arguments) {
    const auto limit = arguments.query.take_limit();
    if (!limit) {
        return fail(limit.error());
    }
    const auto cursor = take_cursor(arguments.query, 's');
    if (!cursor) {
        return fail(cursor.error());
    }
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    auto rows = reader.assets();
    if (*cursor) {
        std::erase_if(rows, [&](const ledger::Asset& row) { return row.code.text() <= **cursor; });
    }
    return page(
        rows, *limit, 's', [&](JsonWriter& out, std::size_t i) { write_asset(out, rows[i]); },
        [](const ledger::Asset& row) { return row.code.text(); });
}

}  // namespace

void add_asset_routes(std::vector<Route>& routes, Service& service) {
    routes.push_back(put_route(service, "/v1/assets/{code}", read_put_asset, "code"));
    routes.push_back(read_route(service, "/v1/assets", list_assets));
    routes.push_back(read_route(service, "/v1/assets/{code}", get_asset));
}

}  // namespace passbook::http
