// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/gathered_log.h"

#include <sqlite3.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/assert.h"

namespace passbook::store::sqlite {
namespace {

/// SQLite's own unix layer writes at most 2^17 - 1 bytes in one call: of a longer write it takes
/// the length modulo 2^17. So much also stays in the processor's cache until it is written.
constexpr std::size_t gathered_max = std::size_t{127} * 1024;

/// What SQLite wrote but the file has not yet: one run of bytes.
struct Gathered {
    sqlite3_int64 begin = 0;
    std::size_t size = 0;
    std::array<std::uint8_t, gathered_max> bytes;

    [[nodiscard]] bool takes(sqlite3_int64 offset, std::size_t count) const {
        return offset == begin + static_cast<sqlite3_int64>(size) && size + count <= gathered_max;
    }
};

/// SQLite gives one block of memory per file, aligned to 8 bytes: this, and behind it the system's
/// own file.
struct LogFile {
    sqlite3_file base;
    Gathered* gathered;

    [[nodiscard]] sqlite3_file* inner() {
        return reinterpret_cast<sqlite3_file*>(this + 1);
    }
};

static_assert(alignof(LogFile) <= 8 && sizeof(LogFile) % 8 == 0);

LogFile& log_of(sqlite3_file* file) {
    return *reinterpret_cast<LogFile*>(file);
}

/// What could not be written is dropped: SQLite rolls the transaction back, or has lost the file.
int flush(LogFile& file) {
    Gathered& gathered = *file.gathered;
    if (gathered.size == 0) {
        return SQLITE_OK;
    }
    const auto size = static_cast<int>(std::exchange(gathered.size, 0));
    sqlite3_file* inner = file.inner();
    return inner->pMethods->xWrite(inner, gathered.bytes.data(), size, gathered.begin);
}

/// Calls the system's own method once the file is as SQLite believes it to be.
template <class Method, class... Arguments>
int flushed(sqlite3_file* file, Method method, Arguments... arguments) {
    LogFile& log = log_of(file);
    if (const int code = flush(log); code != SQLITE_OK) {
        return code;
    }
    return (log.inner()->pMethods->*method)(log.inner(), arguments...);
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    LogFile& log = log_of(file);
    Gathered& gathered = *log.gathered;
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    const auto count = static_cast<std::size_t>(size);
    if (!gathered.takes(offset, count)) {
        if (const int code = flush(log); code != SQLITE_OK) {
            return code;
        }
        gathered.begin = offset;
    }
    PASSBOOK_ASSERT(count <= gathered_max);  // a page is 64 KiB at most
    std::copy_n(bytes, count, gathered.bytes.begin() + static_cast<std::ptrdiff_t>(gathered.size));
    gathered.size += count;
    return SQLITE_OK;
}

int read(sqlite3_file* file, void* data, int size, sqlite3_int64 offset) {
    return flushed(file, &sqlite3_io_methods::xRead, data, size, offset);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
    return flushed(file, &sqlite3_io_methods::xTruncate, size);
}

int sync(sqlite3_file* file, int flags) {
    return flushed(file, &sqlite3_io_methods::xSync, flags);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
    return flushed(file, &sqlite3_io_methods::xFileSize, size);
}

int file_control(sqlite3_file* file, int operation, void* argument) {
    return flushed(file, &sqlite3_io_methods::xFileControl, operation, argument);
}

int close(sqlite3_file* file) {
    LogFile& log = log_of(file);
    const int flush_code = flush(log);
    const int code = log.inner()->pMethods->xClose(log.inner());
    delete log.gathered;
    return flush_code == SQLITE_OK ? code : flush_code;
}

int lock(sqlite3_file* file, int level) {
    sqlite3_file* inner = log_of(file).inner();
    return inner->pMethods->xLock(inner, level);
}

int unlock(sqlite3_file* file, int level) {
    sqlite3_file* inner = log_of(file).inner();
    return inner->pMethods->xUnlock(inner, level);
}

int check_reserved_lock(sqlite3_file* file, int* answer) {
    sqlite3_file* inner = log_of(file).inner();
    return inner->pMethods->xCheckReservedLock(inner, answer);
}

int sector_size(sqlite3_file* file) {
    sqlite3_file* inner = log_of(file).inner();
    return inner->pMethods->xSectorSize(inner);
}

int device_characteristics(sqlite3_file* file) {
    sqlite3_file* inner = log_of(file).inner();
    return inner->pMethods->xDeviceCharacteristics(inner);
}

/// Version 1: a log is neither shared memory nor mapped.
sqlite3_io_methods log_methods() {
    sqlite3_io_methods methods{};
    methods.iVersion = 1;
    methods.xClose = close;
    methods.xRead = read;
    methods.xWrite = write;
    methods.xTruncate = truncate;
    methods.xSync = sync;
    methods.xFileSize = file_size;
    methods.xLock = lock;
    methods.xUnlock = unlock;
    methods.xCheckReservedLock = check_reserved_lock;
    methods.xFileControl = file_control;
    methods.xSectorSize = sector_size;
    methods.xDeviceCharacteristics = device_characteristics;
    return methods;
}

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    auto* inner_vfs = static_cast<sqlite3_vfs*>(vfs->pAppData);
    if ((flags & SQLITE_OPEN_WAL) == 0) {
        return inner_vfs->xOpen(inner_vfs, name, file, flags, flags_out);
    }
    static const sqlite3_io_methods methods = log_methods();
    auto* gathered = new (std::nothrow) Gathered;
    if (gathered == nullptr) {
        return SQLITE_NOMEM;
    }
    auto* log = new (file) LogFile{{nullptr}, gathered};
    const int code = inner_vfs->xOpen(inner_vfs, name, log->inner(), flags, flags_out);
    if (code != SQLITE_OK) {
        delete gathered;
        return code;  // without methods: SQLite does not close what did not open
    }
    log->base.pMethods = &methods;
    return SQLITE_OK;
}

}  // namespace

const char* gathered_log_vfs() {
    // A copy of the system's own: everything but opening a file goes straight to it.
    static sqlite3_vfs vfs = [] {
        sqlite3_vfs* inner = sqlite3_vfs_find(nullptr);
        PASSBOOK_ASSERT(inner != nullptr);
        sqlite3_vfs copy = *inner;
        copy.pNext = nullptr;
        copy.zName = "passbook-gathered-log";
        copy.pAppData = inner;
        copy.szOsFile = static_cast<int>(sizeof(LogFile)) + inner->szOsFile;
        copy.xOpen = open;
        return copy;
    }();
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    PASSBOOK_ASSERT(registered == SQLITE_OK);
    return vfs.zName;
}

}  // namespace passbook::store::sqlite
