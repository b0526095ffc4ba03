// SPDX-License-Identifier: Apache-2.0
#include "writer/retry.h"

#include <algorithm>
#include <random>
#include <thread>

namespace passbook::writer {
namespace {

constexpr std::chrono::microseconds pause_max{200'000};

}  // namespace

bool Retry::again(const Failure& failure) {
    const bool worthwhile = this->worthwhile(failure);
    in_doubt_ = in_doubt_ || failure.kind() == FailureKind::in_doubt;
    was_unavailable_ = was_unavailable_ || failure.kind() == FailureKind::unavailable;
    return worthwhile && slept();
}

bool Retry::worthwhile(const Failure& failure) const {
    if (in_doubt_ || failure.kind() == FailureKind::in_doubt) {
        return failure.kind() != FailureKind::broken;
    }
    if (failure.kind() == FailureKind::unavailable) {
        return !was_unavailable_;
    }
    return dynamic_cast<const Conflict*>(&failure) != nullptr;
}

/// False where the budget is used up.
bool Retry::slept() {
    const auto now = std::chrono::steady_clock::now();
    if (!deadline_) {
        deadline_ = now + budget_;
    }
    pause_ = std::min(pause_ * 2, pause_max);
    std::random_device chance;  // made here: to ask for one takes longer than to decide a batch
    const std::chrono::microseconds pause(
        std::uniform_int_distribution<std::int64_t>(pause_.count() / 2, pause_.count())(chance));
    if (now + pause > *deadline_) {
        return false;
    }
    std::this_thread::sleep_for(pause);
    return true;
}

}  // namespace passbook::writer
