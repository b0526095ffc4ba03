// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string_view>

#include "engine/engine.h"
#include "store/sqlite/sqlite_store.h"

namespace passbook::engine {
namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";

/// The path behind `sqlite:`.
std::string sqlite_path(const std::string& url) {
    if (url.starts_with(sqlite_scheme) && url.size() > sqlite_scheme.size()) {
        return url.substr(sqlite_scheme.size());
    }
    throw Failure(FailureKind::broken,
                  fmt::format("store `{}` is of no kind this program knows; use sqlite:PATH", url));
}

}  // namespace

std::unique_ptr<store::Store> open_store(const std::string& url, store::Access access,
                                         const Clock& clock) {
    return store::sqlite::open(sqlite_path(url), access, clock);
}

std::unique_ptr<store::Tables> open_tables(const std::string& url) {
    return store::sqlite::open_tables(sqlite_path(url));
}

std::vector<LibraryVersion> library_versions() {
    return {{"sqlite", store::sqlite::library_version(), store::sqlite::schema_version()}};
}

}  // namespace passbook::engine
