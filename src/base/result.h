// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tl/expected.hpp>

namespace passbook {

/// A value or the reason why there is none. Unlike the library's type it must not be ignored.
template <class T, class E>
class [[nodiscard]] Result : public tl::expected<T, E> {
public:
    using tl::expected<T, E>::expected;
};

template <class E>
auto fail(E&& error) {
    return tl::make_unexpected(std::forward<E>(error));
}

}  // namespace passbook
