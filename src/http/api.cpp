// SPDX-License-Identifier: Apache-2.0
#include "http/api.h"

namespace passbook::http {
namespace {

constexpr std::size_t lock_call_threads = 4;
/// As many may wait for locks at one time; each of them costs a thread while it does.
constexpr std::size_t lock_waits_max = 256;
constexpr std::size_t lock_calls_queued = 1024;

std::vector<Route> all_routes(Service& service) {
    std::vector<Route> routes;
    add_account_routes(routes, service);
    add_transaction_routes(routes, service);
    add_hold_routes(routes, service);
    add_batch_routes(routes, service);
    add_request_routes(routes, service);
    add_asset_routes(routes, service);
    add_lock_routes(routes, service);
    add_health_routes(routes, service);
    add_page_routes(routes);
    return routes;
}

}  // namespace

Api::Api(engine::Engine& engine, const ServerOptions& options, store::Standby* standby,
         lock::Locks* locks)
    : lock_calls_("http-lock", lock_call_threads, lock_calls_queued),
      lock_waits_("http-lock-wait", lock_waits_max, 0),
      service_{engine, reads_, metrics_, lock_calls_, lock_waits_, nullptr, locks},
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

bool Api::stop(std::chrono::milliseconds grace) {
    if (service_.locks != nullptr) {
        service_.locks->stop();
    }
    return server_->stop(grace);
}

}  // namespace passbook::http
