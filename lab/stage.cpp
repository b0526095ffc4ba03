// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

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
        database_ = sqlite_database(folder_ + "/plain.db");
    }
    return *database_;
}

std::string Stage::store_url() const {
    return "sqlite:" + folder_ + "/passbook.db";
}

std::unique_ptr<Session> Stage::store_shell() {
    return sqlite_database(folder_ + "/passbook.db")->connect();
}

}  // namespace passbook::lab
