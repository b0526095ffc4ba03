// SPDX-License-Identifier: Apache-2.0
// A wallet in your own process: opens a store, grants, spends, repeats the spend, is refused, and
// reads the passbook. Usage: wallet [STORE], by default sqlite:wallet.db.
#include <iostream>

#include "passbook/ledger.h"

namespace {

void print(const char* what, const passbook::Outcome& outcome) {
    std::cout << what << ": ";
    if (outcome.accepted()) {
        std::cout << "balance " << outcome.receipt->balance;
    } else {
        std::cout << outcome.refused->code << " (" << outcome.refused->detail << ")";
    }
    std::cout << (outcome.replayed ? ", answered before\n" : "\n");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        auto ledger = passbook::Ledger::open(argc > 1 ? argv[1] : "sqlite:wallet.db");
        print("grant 100", ledger.grant({.account = "alice", .amount = 100, .key = "welcome"}));
        print("spend 30", ledger.spend({.account = "alice", .amount = 30, .key = "order-1"}));
        // An answer was lost? The same key gives it again and moves nothing.
        print("spend 30 again", ledger.spend({.account = "alice", .amount = 30, .key = "order-1"}));
        print("spend 300", ledger.spend({.account = "alice", .amount = 300, .key = "order-2"}));
        for (const auto& line : ledger.lines("alice")) {
            std::cout << line.seq << "  " << line.kind << "  " << line.amount << "  balance "
                      << line.balance_after << '\n';
        }
    } catch (const passbook::Error& error) {
        std::cerr << "wallet: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
