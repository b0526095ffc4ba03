// SPDX-License-Identifier: Apache-2.0
// A job that every server starts and one must do: takes a lock, works in steps, stops when the lock
// is lost, and writes so that a late write is refused.
// Usage: run_once [STORE [SERVICE]], by default sqlite:wallet.db and its own table of leases.
#include <iostream>

#include "passbook/lock.h"

namespace {

/// True where all of the steps were done under the lock.
bool work(const passbook::Lock& lock) {
    const auto lost = lock.stop_token();
    for (int step = 1; step <= 3; ++step) {
        if (lost.stop_requested()) {
            std::cout << "stopped before step " << step << ": the lock is " << lock.lost() << '\n';
            return false;
        }
        std::cout << "step " << step << '\n';
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::string store = argc > 1 ? argv[1] : "sqlite:wallet.db";
        (void)passbook::Ledger::open(store);  // makes the store where there is none yet
        auto locks = passbook::Locks::open(argc > 2 ? argv[2] : "store", store);
        auto answer = locks.acquire("nightly-report");
        if (!answer.lock) {
            // Somebody else has it: then it is being done. Or nobody answers: then it is not known
            // whether it is, and it waits for the next time.
            std::cout << "not now\n";
            return 0;
        }
        if (work(*answer.lock)) {
            // The look at the lock above is not enough: we may stand still right here. This
            // statement changes no row then, and note_late_write counts it.
            const auto fence = answer.lock->fence();
            std::cout << "UPDATE reports SET body = $1, " << fence.set("fence")
                      << " WHERE id = $2 AND " << fence.allows("fence") << '\n';
        }
        std::cout << answer.lock->release() << '\n';
    } catch (const passbook::Error& error) {
        std::cerr << "run_once: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
