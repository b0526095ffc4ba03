// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace passbook::store::sqlite {

/// The right to write a store: an flock on `path`.lock, in which the holder leaves its process id.
/// The kernel frees it when the process ends, however it ends; the file itself stays.
class StoreLock {
public:
    /// Failure `busy` where another process holds it, naming that process.
    explicit StoreLock(const std::string& path);
    ~StoreLock();
    StoreLock(const StoreLock&) = delete;
    StoreLock& operator=(const StoreLock&) = delete;

private:
    int descriptor_ = -1;
};

}  // namespace passbook::store::sqlite
