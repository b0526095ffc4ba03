// SPDX-License-Identifier: Apache-2.0
#include "http/lists.h"

namespace passbook::http {
namespace {

Response status(std::string_view word) {
    Response response;
    JsonWriter out(response.body);
    out.begin_object().name("status").text(word).end_object();
    return response;
}

/// Ready means that the store answers and takes writes; alive, that this process does. Where a lock
/// stands before the writes, it also says whether they are behind it.
Result<Response, Problem> get_ready(Service& service, store::Reader& reader, ReadArguments&) {
    reader.ping();
    lock::Locks* gate = service.engine.gate();
    if (gate == nullptr) {
        return status("ready");
    }
    const bool answers = writer::gate_answers(*gate);
    if (!answers && service.engine.lock_policy() == writer::LockPolicy::refuse) {
        return fail(
            Problem{Code::lock_unavailable, std::string(info(Code::lock_unavailable).meaning), {}});
    }
    Response response;
    JsonWriter out(response.body);
    out.begin_object().name("status").text("ready");
    out.name("lock").text(answers ? "answers" : "bypassed").end_object();
    return response;
}

}  // namespace

void add_health_routes(std::vector<Route>& routes, Service& service) {
    routes.push_back({Method::get, "/livez", KeyRule::ignored, 0, [](Call call) {
                          call.answer(status("alive"));
                      }});
    routes.push_back(read_route(service, "/readyz", get_ready));
    routes.push_back({Method::get, "/metrics", KeyRule::ignored, 0, [&service](Call call) {
                          Response response;
                          response.media_type = metrics_media_type;
                          response.body =
                              metrics_text(service.metrics, service.engine, service.locks);
                          call.answer(std::move(response));
                      }});
}

}  // namespace passbook::http
