// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lock/words.h"

namespace passbook::lock {

/// The callers of this process that want keys, first come, first served. For each key only the
/// first in line asks the service, so that a thousand who wait cost it no more than one.
///
/// A place is taken for all keys of a caller at once, so of two callers the one that came first is
/// ahead in every line that both stand in: they cannot wait for each other. A place is for asking
/// and not for holding: it goes when the answer is there, and so a holder that hangs keeps nobody
/// of its own process out longer than anybody else.
///
/// Thread safety: any thread. Nothing is called while `mutex_` is held. A place belongs to one
/// thread and must go before its line.
class Line {
public:
    class Place {
    public:
        Place(Line& line, const std::vector<std::string>& keys);
        ~Place();
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        /// Waits until this place is the first for all its keys. False where that did not come, or
        /// the caller was asked to stop.
        [[nodiscard]] bool await_turn(Steady::time_point until, const std::stop_token& stop);

        /// How many hints there were for this place. To be read before the service is asked: a
        /// hint that comes meanwhile then ends the rest at once.
        [[nodiscard]] std::uint64_t hints() const;

        /// Sleeps until there is a hint beyond those seen, or until then, or a stop.
        void rest(std::uint64_t seen, Steady::time_point until, const std::stop_token& stop);

    private:
        friend class Line;

        [[nodiscard]] bool is_first() const;  // with mutex_ held

        Line& line_;
        const std::vector<std::string>& keys_;
        std::condition_variable_any wake_;
        std::uint64_t hints_ = 0;  // guarded by mutex_ of the line
    };

    /// The key may be free now; the empty text stands for all keys.
    void hint(std::string_view key);

    /// How many stand in line for anything.
    [[nodiscard]] std::size_t waiting() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::deque<Place*>, std::less<>> queues_;  // guarded by mutex_
    std::size_t waiting_ = 0;                                        // guarded by mutex_
};

}  // namespace passbook::lock
