// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/codes_page.h"

int main() {
    const std::string page = passbook::codes_page();
    return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 2;
}
