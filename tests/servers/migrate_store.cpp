// SPDX-License-Identifier: Apache-2.0
// `passbook migrate` for builds without the command line: makes the store that tests copy.
#include <cstdio>
#include <string_view>

#include "base/failure.h"
#include "store/mariadb/mariadb_store.h"
#include "store/postgres/postgres_store.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: migrate_store URL\n", stderr);
        return 2;
    }
    try {
        if (std::string_view(argv[1]).starts_with("mysql:")) {
            passbook::store::mariadb::migrate(argv[1]);
        } else {
            passbook::store::postgres::migrate(argv[1]);
        }
    } catch (const passbook::Failure& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
        return 1;
    }
    return 0;
}
