// SPDX-License-Identifier: Apache-2.0
// Loaded into a server before everything else (LD_PRELOAD), it lets a test set the server's clock
// while the server runs: the file that CLOCK_SHIFT names holds 8 bytes, the seconds to be added.
// It keeps to system calls, for it is called before the server's own libraries are ready.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

/// Null until it is open. It changes under us, for another process writes it.
const volatile std::int64_t* seconds = nullptr;

[[gnu::constructor]] void open_shift() {
    const char* path = std::getenv("CLOCK_SHIFT");
    const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    void* mapped = ::mmap(nullptr, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    if (mapped != MAP_FAILED) {
        seconds = static_cast<const volatile std::int64_t*>(mapped);
    }
}

std::int64_t shift() {
    return seconds == nullptr ? 0 : *seconds;
}

}  // namespace

// The monotonic clock goes on as it does when a machine's clock is set.
extern "C" int clock_gettime(clockid_t clock, timespec* at) noexcept {
    const int failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, at));
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        at->tv_sec += shift();
    }
    return failed;
}

extern "C" int gettimeofday(timeval* at, void* zone) noexcept {
    const int failed = static_cast<int>(::syscall(SYS_gettimeofday, at, zone));
    if (failed == 0) {
        at->tv_sec += shift();
    }
    return failed;
}

extern "C" time_t time(time_t* at) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != nullptr) {
        *at = now.tv_sec;
    }
    return now.tv_sec;
}
