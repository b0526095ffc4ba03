// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "lock/service.h"

namespace passbook::lock::redis {

/// Keys on one Redis server, 6.2 or newer (SET with NX and PX, scripts, publish), or on what speaks
/// its protocol. Taken and released in one round trip each, whatever their number; with `replicas`
/// in the URL, an acquisition takes a second one (WAIT) and up to half of its time-out for it.
///
/// Redis can lose keys: in a failover, by FLUSHALL, when its clock jumps, when it runs out of
/// memory under an eviction policy. Then two hold the same lock, and only the fence tells.
///
/// Failure `broken` where the URL (see Address) cannot be read. The server need not answer yet.
[[nodiscard]] std::unique_ptr<Service> open(const std::string& url);

}  // namespace passbook::lock::redis
