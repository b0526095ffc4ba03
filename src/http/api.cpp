// SPDX-License-Identifier: Apache-2.0
#include "http/api.h"

namespace passbook::http {
namespace {

std::vector<Route> all_routes(Service& service) {
    std::vector<Route> routes;
    add_account_routes(routes, service);
    add_transaction_routes(routes, service);
    add_hold_routes(routes, service);
    add_batch_routes(routes, service);
    add_request_routes(routes, service);
    add_asset_routes(routes, service);
    add_health_routes(routes, service);
    add_page_routes(routes);
    return routes;
}

}  // namespace

Api::Api(engine::Engine& engine, const ServerOptions& options, store::Standby* standby)
    : service_{engine, reads_, metrics_, nullptr},
      router_(all_routes(service_)),
      reads_(lending(engine)) {
    if (standby != nullptr) {
        stale_reads_ = std::make_unique<ReadPool>(lending(*standby));
        service_.stale_reads = stale_reads_.get();
    }
    server_ = std::make_unique<Server>(
        options, ServerHooks{[this](const Request& request) { return router_.admit(request); },
                             [this](const Request& request, Responder responder) {
                                 router_.handle(request, std::move(responder));
                             },
                             [this](const Exchange& exchange) {
                                 metrics_.note(exchange);
                             }});
}

}  // namespace passbook::http
