// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lock/counters.h"
#include "lock/service.h"
#include "lock/settings.h"
#include "lock/words.h"

/// Locks between processes. A lock keeps others from doing the same work at the same time; it is
/// never what keeps data right, for a process can stand still between its last look at the lock
/// and its write. What it writes must carry the fence, which the database checks (docs/locks.md).
///
/// A holder is told to stop before anybody else can get in, as far as clocks run alike: it counts
/// its time from the start of the request that took or renewed the keys, the service from later.
///
/// Not re-entrant: who holds a key and asks for it again waits as anybody else.

namespace passbook::lock {

struct Inner;
struct Held;

/// What is held; let go at the latest when it goes. Used by one thread, but for `valid`, `lost` and
/// the stop token, which any thread may ask. It may outlive its Locks, and is then lost.
class Guard {
public:
    Guard(std::shared_ptr<Inner> inner, std::shared_ptr<Held> held);
    /// Releases; an outcome that nobody asks for is counted and logged.
    ~Guard();
    Guard(Guard&&) noexcept = default;
    Guard& operator=(Guard&& other) noexcept;
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    [[nodiscard]] const std::vector<std::string>& keys() const noexcept;
    [[nodiscard]] const Token& token() const noexcept;

    /// Grows with every change of a key's owner. Of the only key, or the one named; 0 where the
    /// lock was opened without a database to mint it, and then no late write is refused.
    [[nodiscard]] std::int64_t fence() const noexcept;
    [[nodiscard]] std::int64_t fence(const std::string& key) const noexcept;

    /// Whether it is held by now, by our own clock; asks nobody. It may be over right afterwards.
    [[nodiscard]] bool valid() const noexcept;

    /// Stops when what is held is lost, at least the margin before the TTL ends. Callbacks run on a
    /// thread that tells all holders: they must be quick, and must not destroy the Locks.
    [[nodiscard]] std::stop_token stop_token() const;

    /// Why it was lost; nothing while it is not, or where it was released before.
    [[nodiscard]] std::optional<Loss> lost() const noexcept;

    /// Lets go; repeated it says the same. `unknown` is no cause for anything: the service is asked
    /// again in the background, and the TTL ends it at the latest.
    Released release() noexcept;

private:
    std::shared_ptr<Inner> inner_;
    std::shared_ptr<Held> held_;
    std::optional<Released> released_;
};

struct Wanted {
    std::vector<std::string> keys;  ///< All or none; order and repetition do not matter.
    /// How long to wait for others; 0: not at all, up to 1 h. A request under way may add its
    /// time-out to it.
    Millis wait{0};
    std::stop_token cancel = {};  ///< Ends the wait.
    bool fenced = true;           ///< False: the fence is 0, and costs no write.
};

/// What an acquisition came to. `what` is there with Acquired::acquired alone.
template <class What>
struct Answer {
    Acquired result = Acquired::unavailable;
    std::optional<What> what = {};
    Millis left{0};        ///< busy, timeout: no later than this it is free, unless renewed; 0: ?
    std::string why = {};  ///< unavailable: for the log.
};

/// Held under its token by somebody else than this process, such as a client over HTTP, who renews
/// and releases it himself.
struct Ticket {
    Token token;
    std::int64_t fence = 0;
    Millis valid_for{0};  ///< From when this was made; less than the TTL.
};

/// Mints a new number per key in the database, above every earlier one of that key. Throws Failure.
using Mint = std::function<std::vector<std::int64_t>(const std::vector<std::string>& keys)>;

/// An open lock service with all that this process holds and waits for. Any thread.
class Locks {
public:
    /// Failure `broken` where the settings break a rule. The service need not answer yet. `mint`
    /// gives the fences where the service does not; without either there are none.
    /// `counters`: where several count as one.
    Locks(std::unique_ptr<Service> service, const Settings& settings, Mint mint = {},
          std::shared_ptr<Counters> counters = std::make_shared<Counters>());
    /// Stops. Not from a stop callback.
    ~Locks();
    Locks(const Locks&) = delete;
    Locks& operator=(const Locks&) = delete;

    /// Blocks until the keys are held, or the answer is another one.
    [[nodiscard]] Answer<Guard> acquire(const Wanted& wanted);

    /// For somebody else: one key, a TTL of his own (200 ms to 1 h), and nobody here renews it.
    [[nodiscard]] Answer<Ticket> issue(const std::string& key, Millis ttl, Millis wait);
    /// The new time, counted as in the ticket, where it was renewed.
    [[nodiscard]] Renewed renew(const std::string& key, const Token& token, Millis ttl,
                                Millis& valid_for);
    [[nodiscard]] Released release(const std::string& key, const Token& token);

    /// Nothing where the service did not answer.
    [[nodiscard]] std::optional<Look> look(const std::string& key);

    /// All who hold lose it, all who wait are cancelled, and so is everybody from here on.
    void stop();

    [[nodiscard]] std::string describe() const;
    [[nodiscard]] const Settings& settings() const noexcept;
    [[nodiscard]] const Counters& counters() const noexcept;
    [[nodiscard]] std::size_t waiting() const;

    /// A write of a late holder was refused by its fence.
    void note_stale_write(std::string_view key, std::int64_t fence);

private:
    std::shared_ptr<Inner> inner_;
};

}  // namespace passbook::lock
