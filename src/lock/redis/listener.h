// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <thread>

#include "lock/redis/address.h"
#include "lock/service.h"

namespace passbook::lock::redis {

/// Hears of releases by everybody: one connection and one subscription for all keys of a process,
/// opened when the first of its callers begins to wait. A message may be lost, at the latest while
/// it connects anew: then waiters find out by asking.
///
/// Thread safety: `start` from any thread; the hint is given on the listener's own, which holds no
/// mutex while it does.
class Listener {
public:
    Listener(const Address& address, std::string channel);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    /// The first call begins to listen; later ones change nothing.
    void start(const Service::Hint& hint);

private:
    void run(const Service::Hint& hint) const;
    void hear(const Service::Hint& hint) const;
    [[nodiscard]] bool is_stopped(Millis within) const;

    const Address address_;
    const std::string channel_;
    const int stop_fd_;  ///< Readable once this is to end.
    std::once_flag started_;
    std::thread thread_;
};

}  // namespace passbook::lock::redis
