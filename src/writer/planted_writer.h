// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/planted.h"
#include "store/store.h"

namespace passbook::writer {

/// The writer as it is; with one of the planted bugs of a transaction where that is switched on.
#ifdef PASSBOOK_PLANTED
[[nodiscard]] std::unique_ptr<store::Writer> with_planted_bug(
    std::unique_ptr<store::Writer> writer);
#else
[[nodiscard]] inline std::unique_ptr<store::Writer> with_planted_bug(
    std::unique_ptr<store::Writer> writer) {
    return writer;
}
#endif

}  // namespace passbook::writer
