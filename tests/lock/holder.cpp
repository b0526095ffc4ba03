// SPDX-License-Identifier: Apache-2.0
// A process that takes a lock and writes under it when it is told to, for tests that stop it in
// between. Usage: lock_holder SERVICE STORE; each line of the input is `acquire`, `release` or
// `write TEXT`.
#include <iostream>
#include <string>

#include "passbook/lock.h"
#include "tests/lock/work.h"

int main(int, char** argv) {
    using namespace passbook;
    auto locks = lock_tests::open_quick(argv[1], argv[2]);
    std::optional<Lock> lock;
    for (std::string line; std::getline(std::cin, line);) {
        if (line == "acquire") {
            lock = locks.acquire("k", std::chrono::seconds(10)).lock;
            std::cout << (lock ? "acquired" : "not acquired") << std::endl;
            continue;
        }
        if (line == "release") {
            std::cout << lock->release() << std::endl;
            continue;
        }
        const bool is_written = lock_tests::write(argv[2], line.substr(6), lock->fence());
        if (!is_written) {
            locks.note_late_write(*lock);
        }
        std::cout << (is_written ? "written" : "late") << ' ' << lock->lost() << ' '
                  << lock->stop_token().stop_requested() << ' ' << locks.late_writes() << std::endl;
    }
    return 0;
}
