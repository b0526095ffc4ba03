// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "engine/engine.h"
#include "lab/experiment.h"

namespace passbook::lab {

std::string_view name_of(Promise promise) noexcept {
    switch (promise) {
        case Promise::unsafe:
            return "unsafe";
        case Promise::guarded:
            return "guarded";
        case Promise::shown:
            return "shown";
    }
    return "";
}

Database& Stage::database() {
    if (!database_) {
        database_ = place_.make();
    }
    return *database_;
}

std::string Stage::store_url() {
    if (!store_) {
        store_ = place_.make();
        if (kind() != Kind::sqlite) {  // An SQLite store is made by who first opens it.
            const SystemClock clock;
            (void)engine::migrate_store(store_->url(), clock);
        }
    }
    return store_->url();
}

std::unique_ptr<Session> Stage::store_shell() {
    (void)store_url();
    auto shell = store_->connect();
    if (kind() == Kind::postgres) {
        shell->change("SET search_path = passbook");
    }
    return shell;
}

}  // namespace passbook::lab
