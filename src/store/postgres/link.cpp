// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/link.h"

#include "store/postgres/migrate.h"

namespace passbook::store::postgres {

std::shared_ptr<Connection> Link::get() {
    if (auto open = current()) {
        return open;
    }
    auto fresh = std::make_shared<Connection>(address_, purpose_);
    check_version(*fresh, address_.describe());
    connection_ = fresh;
    return fresh;
}

}  // namespace passbook::store::postgres
