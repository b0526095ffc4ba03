// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string_view>

/// Named places at which a test may kill or fail the process, so that the crash promises are shown
/// on the released binary itself. Armed by the environment variable PASSBOOK_FAILPOINTS, read once:
/// `name=kill@N` sends SIGKILL to the process at the N-th pass (from 1), `name=stop@N` SIGSTOP,
/// from which somebody else has to wake it, and `name=fail@N` makes that one pass throw Failure
/// `unavailable`. Several are separated by commas. Unarmed, a pass costs one
/// load.

namespace passbook {

namespace failpoint_detail {
extern std::atomic<bool> armed;
void passed(std::string_view name);
}  // namespace failpoint_detail

/// For what only a failpoint needs, as a write that is sent before there is more to send.
[[nodiscard]] inline bool failpoints_armed() noexcept {
    return failpoint_detail::armed.load(std::memory_order_relaxed);
}

inline void failpoint(std::string_view name) {
    if (failpoints_armed()) {
        failpoint_detail::passed(name);
    }
}

/// Arms what `text` says (empty: nothing), in place of what was armed. Returns false, and arms
/// nothing, if the text is not of the form above. For start-up and tests; not while passes run.
[[nodiscard]] bool arm_failpoints(std::string_view text);

}  // namespace passbook
