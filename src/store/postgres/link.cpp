// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/link.h"

#include "store/postgres/migrate.h"

namespace passbook::store::postgres {

std::shared_ptr<Connection> Link::get() {
    if (auto open = current()) {
        return open;
    }
    if (connection_ != nullptr && connection_.use_count() > 1) {
        throw Failure(FailureKind::unavailable,
                      address_.describe() + ": the connection of an open snapshot broke");
    }
    auto fresh = std::make_shared<Connection>(address_, purpose_);
    check_version(*fresh, address_.describe());
    connection_ = fresh;
    return fresh;
}

}  // namespace passbook::store::postgres
