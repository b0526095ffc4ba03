// SPDX-License-Identifier: Apache-2.0
#include "base/wakes.h"

#include <utility>

namespace passbook {
namespace {

thread_local Wakes* innermost = nullptr;

}  // namespace

Wakes::Wakes() noexcept : outer_(std::exchange(innermost, this)) {}

Wakes::~Wakes() {
    innermost = outer_;
    for (const auto& wake : put_off_) {
        wake();
    }
}

void Wakes::at_end(std::function<void()> wake) {
    if (innermost == nullptr) {
        wake();
    } else {
        innermost->put_off_.push_back(std::move(wake));
    }
}

}  // namespace passbook
