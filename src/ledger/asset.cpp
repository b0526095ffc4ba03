// SPDX-License-Identifier: Apache-2.0
#include "ledger/asset.h"

namespace passbook::ledger {

Asset default_asset() {
    return Asset{.code = AssetCode::trusted("point")};
}

}  // namespace passbook::ledger
