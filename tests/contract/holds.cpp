// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/contract.h"

namespace passbook::contract {
namespace {

using ledger::CommitHold;
using ledger::EntryKind;
using ledger::Hold;
using ledger::HoldStatus;
using ledger::Need;
using ledger::PlaceHold;
using ledger::Record;
using ledger::VoidHold;

constexpr std::int64_t hour = 3600;

TEST_P(StoreContract, AHoldIsOpenedCommittedInPartAndReleasedForTheRest) {
    grant(alice, 100);
    const Record opened = accepted(PlaceHold{alice, 60, hour}, "h");
    const EntryId id = id_of(opened);
    Hold expected{
        .opened = {alice, 2}, .amount = 60, .expires_at = plus_seconds(clock.now(), hour)};
    EXPECT_EQ(reader->hold(id), expected);
    EXPECT_EQ(account(alice).held, 60);
    EXPECT_EQ(account(alice).wake_at, expected.expires_at);

    const Record committed = accepted(CommitHold{.hold = id, .amount = 25, .to = bob}, "c");
    expected.status = HoldStatus::committed;
    expected.committed = 25;
    expected.closed_seq = 3;
    EXPECT_EQ(reader->hold(id), expected);
    EXPECT_EQ(account(alice).balance, 75);
    EXPECT_EQ(account(alice).held, 0);
    EXPECT_FALSE(account(alice).wake_at.has_value());
    EXPECT_EQ(account(bob).balance, 25);
    EXPECT_EQ(reader->transaction(id_of(committed))->record, committed);
}

TEST_P(StoreContract, AVoidedHoldGivesBackWhatItHeld) {
    grant(alice, 100);
    const EntryId id = id_of(accepted(PlaceHold{alice, 60, hour}));
    (void)accepted(VoidHold{id});
    EXPECT_EQ(reader->hold(id)->status, HoldStatus::voided);
    EXPECT_EQ(account(alice).available(), 100);
    const auto again = run(VoidHold{id});
    EXPECT_EQ(std::get<ledger::Refusal>(again.body).code, Code::hold_not_open);
}

TEST_P(StoreContract, AnAccountWakesForItsEarliestOpenHold) {
    grant(alice, 100);
    const EntryId late = id_of(accepted(PlaceHold{alice, 10, 3 * hour}));
    const EntryId early = id_of(accepted(PlaceHold{alice, 10, hour}));
    (void)accepted(PlaceHold{alice, 10, 2 * hour});
    EXPECT_EQ(account(alice).wake_at, plus_seconds(clock.now(), hour));
    (void)accepted(VoidHold{early});
    EXPECT_EQ(account(alice).wake_at, plus_seconds(clock.now(), 2 * hour));
    (void)accepted(VoidHold{late});
    EXPECT_EQ(account(alice).wake_at, plus_seconds(clock.now(), 2 * hour));
}

TEST_P(StoreContract, BeginBringsTheHoldsThatAreDueAndTheNextWriteReleasesThem) {
    grant(alice, 100);
    const EntryId due = id_of(accepted(PlaceHold{alice, 60, hour}));
    const EntryId later = id_of(accepted(PlaceHold{alice, 10, 3 * hour}));
    clock.advance_seconds(hour - 1);
    auto state = writer->begin({Need{.accounts = {alice}}});
    writer->rollback();
    EXPECT_FALSE(state.holds.contains(due));

    clock.advance_seconds(1);
    state = writer->begin({Need{.accounts = {alice}}});
    writer->rollback();
    EXPECT_EQ(state.holds.at(due).status, HoldStatus::open);

    const Record spent = accepted(ledger::Spend{alice, 90, {}});
    EXPECT_EQ(spent.subject().seq, 5);
    EXPECT_EQ(reader->hold(due)->status, HoldStatus::expired);
    EXPECT_EQ(reader->hold(due)->closed_seq, 4);
    EXPECT_EQ(reader->hold(later)->status, HoldStatus::open);
    EXPECT_EQ(account(alice).wake_at, reader->hold(later)->expires_at);
    EXPECT_EQ(reader->entries(alice, 3, 1).at(0).kind, EntryKind::expire);
}

TEST_P(StoreContract, ReadersTellWhatDueHoldsStillCount) {
    grant(alice, 100);
    (void)accepted(PlaceHold{alice, 60, hour});
    (void)accepted(PlaceHold{alice, 5, 2 * hour});
    EXPECT_EQ(reader->account(alice)->due, 0);
    clock.advance_seconds(hour);
    EXPECT_EQ(reader->account(alice)->due, 60);
    EXPECT_EQ(reader->account(alice)->account.held, 65);
    EXPECT_EQ(reader->accounts(std::nullopt, 10).at(0).due, 60);
}

TEST_P(StoreContract, BeginBringsAHoldThatIsATargetWhateverItsStatus) {
    grant(alice, 100);
    const Record opened = accepted(PlaceHold{alice, 60, hour});
    (void)accepted(VoidHold{id_of(opened)});
    const auto state = writer->begin({Need{.hold = id_of(opened), .accounts = {alice}}});
    writer->rollback();
    EXPECT_EQ(state.holds.at(id_of(opened)).status, HoldStatus::voided);
    EXPECT_TRUE(state.accounts.contains(alice));
}

TEST_P(StoreContract, AFrozenAccountStillVoidsAndExpires) {
    grant(alice, 100);
    const EntryId first = id_of(accepted(PlaceHold{alice, 10, hour}));
    const EntryId second = id_of(accepted(PlaceHold{alice, 10, hour}));
    (void)accepted(ledger::SetStatus{alice, EntryKind::freeze});
    (void)accepted(VoidHold{first});
    clock.advance_seconds(hour);
    (void)accepted(ledger::SetStatus{alice, EntryKind::unfreeze});
    EXPECT_EQ(reader->hold(second)->status, HoldStatus::expired);
    EXPECT_EQ(account(alice).held, 0);
}

TEST_P(StoreContract, ATransactionIsNoHoldAndAnUnknownHoldIsNothing) {
    const Record granted = accepted(ledger::Grant{alice, 10, {}});
    EXPECT_FALSE(reader->hold(id_of(granted)).has_value());
    EXPECT_FALSE(reader->hold({alice, 99}).has_value());
    const auto state = writer->begin({Need{.hold = id_of(granted), .accounts = {alice}}});
    writer->rollback();
    EXPECT_TRUE(state.holds.empty());
}

}  // namespace
}  // namespace passbook::contract
