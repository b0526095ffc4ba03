// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "http/lists.h"
#include "http/outcome.h"

namespace passbook::http {
namespace {

/// What is stored under a subject's key: `{"status":…,"body":…}`, the body byte for byte as it was
/// answered. It says 200 because the look-up succeeded, whatever it found.
Result<Response, Problem> get_outcome(Service&, store::Reader& reader, ReadArguments& arguments) {
    const auto key_text = arguments.query.take("key");
    if (const auto problem = arguments.query.unknown()) {
        return fail(*problem);
    }
    if (arguments.ids[0] != "account") {
        return fail(Problem{Code::unknown_kind, "the only kind of subject here is account", {}});
    }
    if (!key_text) {
        return fail(Problem{Code::idempotency_key_missing, "send the parameter key", {}});
    }
    auto key = Key::parse(*key_text);
    auto id = AccountId::parse(arguments.ids[1]);
    if (!key || !id) {
        const Code code = key ? Code::invalid_id : Code::invalid_key;
        return fail(Problem{code, std::string(info(code).meaning), {}});
    }
    const auto stored = reader.outcome({*id, *key});
    if (!stored) {
        return fail(Problem{
            Code::request_not_found,
            fmt::format("Nothing is stored under key {} of account {}.", key->text(), id->text()),
            {}});
    }
    const Outcome outcome = outcome_of(*stored);
    Response response;
    JsonWriter out(response.body);
    out.begin_object();
    out.name("status").number(outcome.response.status);
    out.name("body").raw(outcome.response.body);
    out.end_object();
    return response;
}

}  // namespace

void add_request_routes(std::vector<Route>& routes, Service& service) {
    routes.push_back(read_route(service, "/v1/requests/{kind}/{id}", get_outcome));
}

}  // namespace passbook::http
