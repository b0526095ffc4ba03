// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/failure.h"

namespace passbook::store::sqlite {
namespace {

std::string holder_in(int descriptor) {
    std::array<char, 32> text{};
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    if (size <= 0) {
        return "another process";
    }
    std::string_view id(text.data(), static_cast<std::size_t>(size));
    return fmt::format("process {}", id.substr(0, id.find('\n')));
}

}  // namespace

StoreLock::StoreLock(const std::string& path) {
    const std::string file = path + ".lock";
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) {
        throw Failure(FailureKind::unavailable,
                      fmt::format("cannot open {}: {}", file, std::strerror(errno)));
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        const std::string holder = holder_in(descriptor_);
        ::close(descriptor_);
        if (error == EWOULDBLOCK) {
            throw Failure(FailureKind::busy,
                          fmt::format("store {} is in use by {}; stop it, or go through it with "
                                      "--server URL",
                                      path, holder));
        }
        throw Failure(FailureKind::unavailable,
                      fmt::format("cannot lock {}: {}", file, std::strerror(error)));
    }
    const std::string id = fmt::format("{}\n", ::getpid());
    // The id only serves the message above; a disk too full to take it must not stop the store.
    if (::ftruncate(descriptor_, 0) == 0 &&
        ::pwrite(descriptor_, id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
        (void)::ftruncate(descriptor_, 0);
    }
}

StoreLock::~StoreLock() {
    ::close(descriptor_);
}

}  // namespace passbook::store::sqlite
