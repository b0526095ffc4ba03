// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include "cli/subcommand.h"
#include "cli/text.h"
#include "engine/engine.h"
#include "engine/locks.h"
#include "engine/standby.h"
#include "http/api.h"

namespace passbook::cli {
namespace {

constexpr std::chrono::seconds grace{30};

struct ServeFlags {
    std::string store = store_default;
    std::string standby;
    std::string lock = "none";
    std::string lock_policy = "bypass";
    std::string listen = "127.0.0.1:7070";
    std::size_t threads = 2;
    std::size_t lanes = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
    std::size_t connections_max = 1'024;
    std::string log_level = "info";
};

http::ListenAddress loopback(const std::string& text) {
    auto address = http::parse_listen_address(text);
    if (!address) {
        throw CannotRun(
            fmt::format("--listen {}: must be an address and a port, such as "
                        "127.0.0.1:7070",
                        in_quotes(text)));
    }
    if (!address->is_loopback()) {
        throw CannotRun(
            fmt::format("--listen {}: there are no API keys yet, so only this machine "
                        "is served: listen on 127.0.0.1 or [::1]",
                        text));
    }
    return std::move(*address);
}

/// How many of the wanted connections the process may have: the descriptors of the store come
/// first, so that a crowd can keep out newcomers but never the reads of those who are in.
std::size_t connections_within_limit(std::size_t wanted) {
    constexpr rlim_t own = 128;  // store, threads, log, and those being turned away
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted + own) {
        return wanted;
    }
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted + own);
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == wanted + own) {
        return wanted;
    }
    const rlim_t left = limit.rlim_cur > own ? limit.rlim_cur - own : 1;
    spdlog::warn("the limit of {} open files leaves room for {} connections, not {}",
                 limit.rlim_cur, left, wanted);
    return left;
}

/// Batches take memory by the megabyte and give it back; what goes back to the system each time
/// must be faulted in again for the next.
void keep_freed_memory() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

/// SIGTERM and SIGINT as something to wait for. Made before any thread, so that none of them gets
/// the signal instead.
class StopSignal {
public:
    StopSignal() {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGTERM);
        sigaddset(&signals_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
    }

    void wait() const {
        int signal = 0;
        while (sigwait(&signals_, &signal) != 0) {
        }
    }

    /// Ends the wait, from any thread.
    static void raise() {
        kill(getpid(), SIGTERM);
    }

private:
    sigset_t signals_{};
};

/// None where none was asked for. One that does not answer is no reason not to serve: it is only
/// told.
std::unique_ptr<store::Standby> standby_of(const ServeFlags& flags, const Clock& clock) {
    if (flags.standby.empty()) {
        return nullptr;
    }
    auto standby = engine::open_standby(flags.standby, clock);
    try {
        spdlog::info("standby {}, at {}", standby->describe(), standby->reader()->position().log);
    } catch (const Failure& failure) {
        spdlog::warn("reads with stale_ok=true fail until the standby answers: {}", failure.what());
    }
    return standby;
}

Exit run_serve(const ServeFlags& flags) {
    http::ServerOptions options;
    options.listen = loopback(flags.listen);
    options.threads = flags.threads;

    spdlog::set_level(spdlog::level::from_str(flags.log_level));
    options.connections_max = connections_within_limit(flags.connections_max);

    keep_freed_memory();
    const StopSignal stop;
    std::atomic<bool> in_doubt = false;
    engine::Options engine_options{.store = flags.store,
                                   .lanes = flags.lanes,
                                   .lock = flags.lock,
                                   .lock_policy = flags.lock_policy == "refuse"
                                                      ? writer::LockPolicy::refuse
                                                      : writer::LockPolicy::bypass};
    engine_options.in_doubt = [&in_doubt] {
        in_doubt = true;
        StopSignal::raise();
    };
    engine::Engine engine(engine_options);
    const SystemClock clock;
    const auto standby = standby_of(flags, clock);
    const auto locks =
        engine::open_locks(flags.lock, flags.store, {}, engine_options.lock_counters);
    http::Api api(engine, options, standby.get(), locks.get());
    fmt::print("passbook: listening on {} (store {})\n", api.url(), engine.describe());
    std::fflush(stdout);

    stop.wait();
    spdlog::info("stopping: answering what was accepted");
    const bool answered = api.stop(grace);
    engine.stop();
    if (in_doubt) {
        throw CannotRun(
            "the outcome of the last writes is unknown; start it again: their keys will "
            "tell");
    }
    if (!answered) {
        spdlog::warn("some connections were cut after {} s", grace.count());
    }
    return Exit::good;
}

}  // namespace

Subcommand add_serve(CLI::App& app) {
    auto flags = std::make_shared<ServeFlags>();
    CLI::App* sub = app.add_subcommand("serve", "Serve the ledger over HTTP");
    sub->add_option("--store", flags->store, "Store to serve; made if it is absent")
        ->type_name("URL")
        ->capture_default_str();
    sub->add_option("--standby", flags->standby,
                    "PostgreSQL standby of the store, for reads that say stale_ok=true")
        ->type_name("URL");
    sub->add_option("--lock", flags->lock,
                    "Lock service in front of the writes of several servers, and behind "
                    "/v1/locks: none, redis://HOST:PORT, store (its table of leases), advisory "
                    "(of its database), local (this process)")
        ->type_name("SERVICE")
        ->capture_default_str();
    sub->add_option("--lock-policy", flags->lock_policy,
                    "Writes whose lock cannot be had: bypass goes without, refuse answers 503")
        ->check(CLI::IsMember({"bypass", "refuse"}))
        ->capture_default_str();
    sub->add_option("--listen", flags->listen, "Address and port; port 0 takes a free one")
        ->type_name("HOST:PORT")
        ->capture_default_str();
    sub->add_option("--threads", flags->threads, "Threads for connections")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    sub->add_option("--lanes", flags->lanes,
                    "Writers (one per core, at most 4); an SQLite store has one")
        ->check(CLI::Range(1, 16));
    sub->add_option("--connections-max", flags->connections_max, "Connections at one time")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    sub->add_option("--log-level", flags->log_level, "How much is told on stderr")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
        ->capture_default_str();
    sub->footer("Stops on SIGTERM or SIGINT once it has answered what it accepted.");
    return {sub, [flags] {
                return run_serve(*flags);
            }};
}

}  // namespace passbook::cli
