// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ledger/decide.h"
#include "ledger/request.h"
#include "lock/lock.h"
#include "store/store.h"
#include "writer/counters.h"
#include "writer/gate.h"
#include "writer/lanes.h"
#include "writer/reply.h"

/// Joins the rooms below into a ledger that can be used: opens the store its URL names, starts the
/// lanes, lends readers. The server, the command line and the C++ API all stand on it.

namespace passbook::engine {

/// Opens what the URL names (`sqlite:PATH`, `postgresql://…`, `mysql://…`), Failure `broken` with
/// one clear line where the URL is of no known form. The clock must outlive the store.
[[nodiscard]] std::unique_ptr<store::Store> open_store(const std::string& url, store::Access access,
                                                       const Clock& clock);

/// Creates the store that the URL names, or brings it to this program's version, which it returns.
int migrate_store(const std::string& url, const Clock& clock);

/// Opens anybody's tables, read only.
[[nodiscard]] std::unique_ptr<store::Tables> open_tables(const std::string& url);

/// A database library in this program, and the last step of its schema that the program knows.
struct LibraryVersion {
    std::string name;
    std::string version;
    int schema = 0;
};

[[nodiscard]] std::vector<LibraryVersion> library_versions();

/// Readers kept open between uses. Any thread.
class ReaderPool {
public:
    /// A reader lent for one piece of work; it goes back when the lease ends. A reader that threw
    /// is thrown away instead: call `discard`.
    class Lease {
    public:
        Lease(ReaderPool& pool, std::unique_ptr<store::Reader> reader)
            : pool_(&pool), reader_(std::move(reader)) {}
        ~Lease();
        Lease(Lease&& other) noexcept = default;
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        Lease& operator=(Lease&&) = delete;

        store::Reader* operator->() const noexcept {
            return reader_.get();
        }
        store::Reader& operator*() const noexcept {
            return *reader_;
        }
        void discard() noexcept {
            reader_.reset();
        }

    private:
        ReaderPool* pool_;
        std::unique_ptr<store::Reader> reader_;
    };

    explicit ReaderPool(store::Store& store) : store_(store) {}
    [[nodiscard]] Lease lease();

private:
    store::Store& store_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<store::Reader>> idle_;
};

struct Options {
    std::string store = "sqlite:passbook.db";
    std::size_t lanes = 1;
    writer::LaneLimits lane;
    const Clock* clock = nullptr;  ///< The system's where absent.
    /// The lock in front of the writes, as open_locks takes it. There is none where nobody else can
    /// write: on a store of this process' own, or with keys that are kept in this process.
    std::string lock = "none";
    writer::LockPolicy lock_policy = writer::LockPolicy::bypass;
    std::shared_ptr<lock::Counters> lock_counters = std::make_shared<lock::Counters>();
    /// Called on a lane's thread when the outcome of a COMMIT is unknown and all in flight were
    /// told: the process must end, and the next start finds out.
    std::function<void()> in_doubt = [] {
    };
};

class Engine {
public:
    /// Opens for writing: creates an absent store, upgrades an old one. Throws Failure.
    explicit Engine(const Options& options);
    ~Engine();

    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Queues the request; `done` is called exactly once, maybe on this thread before it returns.
    void submit(ledger::Request request, writer::Completion done);

    /// The same for many at once; those of one subject keep their order.
    void submit(std::vector<writer::Job> jobs);

    /// Submits and waits. For embedders and tools.
    [[nodiscard]] writer::Reply call(ledger::Request request);

    [[nodiscard]] ReaderPool::Lease reader() {
        return readers_.lease();
    }

    [[nodiscard]] std::string describe() const {
        return store_->describe();
    }
    [[nodiscard]] const writer::Counters& counters() const noexcept {
        return counters_;
    }
    [[nodiscard]] std::size_t depth() const {
        return lanes_.depth();
    }
    [[nodiscard]] Instant now() const {
        return clock_.now();
    }

    /// The lock in front of the writes; null where there is none.
    [[nodiscard]] lock::Locks* gate() const noexcept {
        return gate_.get();
    }
    [[nodiscard]] writer::LockPolicy lock_policy() const noexcept {
        return lock_policy_;
    }

    /// Answers what was accepted; later requests are answered `unavailable`. Idempotent.
    void stop() {
        lanes_.stop();
    }

private:
    const Clock& clock_;
    writer::Counters counters_;
    std::unique_ptr<store::Store> store_;
    ReaderPool readers_;
    const writer::LockPolicy lock_policy_;
    const std::unique_ptr<lock::Locks> gate_;
    writer::Lanes lanes_;
};

}  // namespace passbook::engine
