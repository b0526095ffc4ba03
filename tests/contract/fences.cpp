// SPDX-License-Identifier: Apache-2.0
// A transaction that carries fences is written while they have not moved, and not at all behind.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/contract/contract.h"

namespace passbook::contract {
namespace {

const ledger::Grant one{alice, 1, {}};

TEST_P(StoreContract, WhatCarriesTheLatestFenceIsWritten) {
    writer->carry({{"slot", mint("slot")}});
    (void)accepted(one);
    (void)accepted(one);
    EXPECT_EQ(account(alice).balance, 2);
}

TEST_P(StoreContract, AFenceThatHasMovedKeepsTheTransactionOut) {
    (void)accepted(one);
    const auto before = contents();
    const std::int64_t old = mint("slot");
    const std::int64_t latest = mint("slot");
    EXPECT_GT(latest, old);

    writer->carry({{"slot", old}});
    ASSERT_THROW((void)decided(one, "late"), store::StaleFence);
    EXPECT_EQ(contents(), before);

    // The writer goes on, with the latest and with none.
    writer->carry({{"slot", latest}});
    (void)accepted(one, "late");
    writer->carry({});
    (void)accepted(one);
    EXPECT_EQ(account(alice).balance, 3);
}

TEST_P(StoreContract, OfSeveralFencesEachMustHold) {
    const store::Fences all{{"slot.1", mint("slot.1")}, {"slot.2", mint("slot.2")}};
    writer->carry(all);
    (void)accepted(one);

    auto one_old = all;
    (void)mint("slot.2");
    writer->carry(one_old);
    ASSERT_THROW((void)decided(one, "late"), store::StaleFence);

    writer->carry({all.front(), {"slot.3", 1}});  // nobody has ever held it
    ASSERT_THROW((void)decided(one, "late"), store::StaleFence);
    EXPECT_EQ(account(alice).balance, 1);
}

// Or it could be compared, then moved, and then written behind the back of the next owner.
TEST_P(StoreContract, AFenceDoesNotMoveUnderAnOpenTransaction) {
    const std::int64_t number = mint("slot");
    writer->carry({{"slot", number}});
    const ledger::Changes changes = decided(one, "k");
    std::atomic<std::int64_t> next = 0;
    std::thread other([&] { next = mint("slot"); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(next, 0);
    writer->commit(changes);
    other.join();
    EXPECT_GT(next, number);
    EXPECT_EQ(account(alice).balance, 1);
}

}  // namespace
}  // namespace passbook::contract
