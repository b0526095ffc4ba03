// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace passbook {

/// Gathers the wake-ups of a piece of work. Who hands many things to one other thread wakes it once
/// so, when all are there: woken at the first it would take them one by one, and in turn with the
/// thread that hands them over.
class Wakes {
public:
    Wakes() noexcept;
    ~Wakes();  ///< Does what was put off, in order.
    Wakes(const Wakes&) = delete;
    Wakes& operator=(const Wakes&) = delete;

    /// At the end of the Wakes that is alive on this thread; at once where there is none. What
    /// `wake` needs it must keep alive. It must not throw.
    static void at_end(std::function<void()> wake);

private:
    Wakes* const outer_;
    std::vector<std::function<void()>> put_off_;
};

}  // namespace passbook
