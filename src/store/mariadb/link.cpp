// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/link.h"

#include "store/mariadb/migrate.h"

namespace passbook::store::mariadb {

Link<Connection> link_to(const Address& address, Purpose purpose) {
    return {address.describe(), [address, purpose] {
                auto fresh = std::make_shared<Connection>(address, purpose);
                check_version(*fresh, address.describe());
                return fresh;
            }};
}

}  // namespace passbook::store::mariadb
