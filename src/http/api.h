// SPDX-License-Identifier: Apache-2.0
// The ledger over HTTP: joins the engine, the routes and the server, and is what the command line
// starts. One file per noun adds that noun's routes.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "http/metrics.h"
#include "http/read_pool.h"
#include "http/router.h"
#include "http/server.h"
#include "http/workers.h"
#include "lock/lock.h"
#include "store/standby.h"

namespace passbook::http {

/// What the routes work with.
struct Service {
    engine::Engine& engine;
    ReadPool& reads;
    const HttpMetrics& metrics;
    Workers& lock_calls;
    Workers& lock_waits;
    ReadPool* stale_reads = nullptr;  ///< On a standby, where the server has one.
    lock::Locks* locks = nullptr;     ///< Where the server has a lock service.
};

// Each adds the routes of its noun; the service outlives them.
void add_account_routes(std::vector<Route>& routes, Service& service);
void add_asset_routes(std::vector<Route>& routes, Service& service);
void add_batch_routes(std::vector<Route>& routes, Service& service);
void add_health_routes(std::vector<Route>& routes, Service& service);
void add_hold_routes(std::vector<Route>& routes, Service& service);
void add_lock_routes(std::vector<Route>& routes, Service& service);
void add_page_routes(std::vector<Route>& routes);
void add_request_routes(std::vector<Route>& routes, Service& service);
void add_transaction_routes(std::vector<Route>& routes, Service& service);

class Api {
public:
    /// Listens and answers from here on. The engine must outlive it, and so must the standby, if
    /// there is one for reads that may be stale, and the locks, if there are any. Throws as Server
    /// does.
    Api(engine::Engine& engine, const ServerOptions& options, store::Standby* standby = nullptr,
        lock::Locks* locks = nullptr);

    [[nodiscard]] std::string url() const {
        return server_->url();
    }
    [[nodiscard]] std::uint16_t port() const noexcept {
        return server_->port();
    }

    /// See Server::stop. The engine must still run: it answers what was accepted.
    /// Who waits for a lock is told at once that this server stops.
    bool stop(std::chrono::milliseconds grace);

private:
    // In this order, because each is used by those behind it until they are gone.
    HttpMetrics metrics_;
    Workers lock_calls_;
    Workers lock_waits_;
    Service service_;
    Router router_;
    ReadPool reads_;
    // Its own threads: a standby that hangs keeps no other read waiting.
    std::unique_ptr<ReadPool> stale_reads_;
    std::unique_ptr<Server> server_;
};

}  // namespace passbook::http
