// SPDX-License-Identifier: Apache-2.0
#include "lab/checker/check.h"

#include <gtest/gtest.h>

#include "lab/checker/story_test.h"

namespace passbook::lab::checker {
namespace {

/// What is known of a good story, before it is spoiled: alice has 100, 30 of them go to bob, 20 are
/// held, and a spend of 90 is refused.
struct Good {
    Story story;
    std::size_t opening = story.grant("alice", 100, "opening");
    std::size_t bobs = story.grant("bob", 50, "opening");
    std::size_t transfer = story.transfer("alice", "bob", 30, "to-bob");
    std::size_t hold = story.hold("alice", 20, "hold");
    std::size_t refused = story.spend("alice", 90, "too-much");
    std::size_t read = story.read();
    std::size_t commit = story.commit(hold, 15, "commit");

    Good() {
        story.dump();
        spend = story.spend("bob", 5, "spend");
        story.dump();
    }
    std::size_t spend = 0;
};

/// The rules that were broken, and the witness of the one asked for.
std::string witness(const History& history, Rule rule) {
    for (const Finding& finding : check(history).findings) {
        if (finding.rule == rule) {
            return finding.witness;
        }
    }
    return "";
}

/// Only that rule, so that each bad history is caught for the right reason.
void expect_only(const History& history, Rule rule, const std::string& wanted) {
    const Verification verification = check(history);
    ASSERT_EQ(verification.findings.size(), 1U)
        << verification.findings.at(0).witness << "; " << witness(history, rule);
    EXPECT_EQ(verification.findings[0].rule, rule);
    EXPECT_EQ(verification.findings[0].witness, wanted);
    EXPECT_FALSE(verification.good());
}

TEST(Check, AGoodHistoryPasses) {
    Good good;
    good.story.again(good.transfer);
    good.story.again(good.refused);
    const auto reversal = good.story.grant("alice", 7, "mistake");
    good.story.reverse(reversal, "put-right");
    good.story.void_hold(good.story.hold("bob", 1, "bobs-hold"), "bobs-void");
    good.story.dump();
    const Verification verification = check(good.story.history);
    EXPECT_TRUE(verification.good()) << verification.findings.at(0).witness;
    EXPECT_EQ(verification.calls, 14U);
    EXPECT_EQ(verification.entries, 12U - 1U);
}

TEST(Check, AnEmptyHistoryPasses) {
    EXPECT_TRUE(check(History()).good());
}

TEST(Check, C1AnAcknowledgedWriteThatIsNotStored) {
    Good good;
    good.story.history.calls.at(good.spend).transaction = 0;
    auto& last = good.story.history.dumps.back();
    std::erase_if(last.entries, [&](const Entry& entry) {
        return entry.account == good.story.id("bob") && entry.seq == 3;
    });
    good.story.row("bob") = good.story.history.dumps.front().accounts.at(1);
    EXPECT_EQ(witness(good.story.history, Rule::exactly_once),
              "key spend of bob was acknowledged as , and is not stored");
}

TEST(Check, C1AKeyThatTookEffectTwice) {
    Good good;
    good.story.call(good.spend).op = Op::read;  // So that nobody misses that one.
    good.story.entry("bob", 3).key = good.story.id("opening");
    EXPECT_EQ(witness(good.story.history, Rule::exactly_once),
              "key opening of bob took effect 2 times: bob:1 and bob:3");
}

TEST(Check, C1ARefusalThatTookEffect) {
    Good good;
    Call& call = good.story.call(good.spend);
    call.verdict = Verdict::fail;
    call.code = good.story.id("account_frozen");
    expect_only(good.story.history, Rule::exactly_once,
                "key spend of bob was refused (account_frozen), and took effect as bob:3");
}

TEST(Check, C1AWriteThatNobodySent) {
    Good good;
    good.story.history.calls.at(good.spend).op = Op::read;
    expect_only(good.story.history, Rule::exactly_once,
                "bob:3 is stored under key spend of bob, which nobody sent");
}

TEST(Check, C2ALegThatIsMissing) {
    Good good;
    good.story.entry("bob", 2).transaction = 0;
    EXPECT_EQ(witness(good.story.history, Rule::atomic),
              "key to-bob of alice: alice:2 should be alice -30, bob +30, and is alice -30");
}

TEST(Check, C2ABalancedAssetThatDoesNotAddUp) {
    Story story;
    story.grant("alice", 100, "opening");
    story.dump();
    story.row("alice").balanced_asset = story.id("KRW");
    expect_only(story.history, Rule::atomic, "alice:1 adds up to +100 in KRW: alice +100");
}

TEST(Check, C3AReadThatSawHalfATransfer) {
    Story story;
    story.grant("alice", 100, "opening");
    story.grant("bob", 50, "opening");
    story.before = 500;
    story.after = 500;
    story.transfer("alice", "bob", 30, "to-bob");
    const std::size_t read = story.read();
    story.dump();
    Seen& bob = story.history.seen.at(story.call(read).seen_begin + 1);
    bob.seq = 1;
    bob.balance = 50;
    EXPECT_EQ(witness(story.history, Rule::conservation),
              "a read of 2 accounts at 1540 adds up to 120, and the transactions up to there to "
              "150");
}

TEST(Check, C4ABalanceThatDoesNotFollow) {
    Good good;
    good.story.entry("bob", 2).balance_after = 79;
    good.story.history.dumps.front() = {};
    good.story.history.seen.at(good.story.call(good.transfer).seen_begin + 1).balance = 79;
    good.story.history.seen.at(good.story.call(good.read).seen_begin + 1).balance = 79;
    EXPECT_EQ(witness(good.story.history, Rule::running_balance),
              "bob:2 (+30, balance 79, held 0) does not follow from bob:1 (+50, balance 50, held "
              "0): balance 80, held 0");
}

TEST(Check, C4ARowThatIsNotItsLastEntry) {
    Good good;
    good.story.row("bob").seq = 2;
    expect_only(good.story.history, Rule::running_balance,
                "account bob says balance 75, held 0, seq 2; its last entry says 75, 0, 3");
}

TEST(Check, C5AFloorThatIsPassedOnTheWayThoughNotAtTheEnd) {
    Story story;
    story.grant("alice", 10, "opening");
    story.spend("alice", 10, "all");
    story.grant("alice", 100, "more");
    story.dump();
    story.row("alice").floor = 1;
    expect_only(story.history, Rule::floor,
                "alice:2 (-10, balance 0, held 0) leaves 0 available, below the floor of 1");
}

TEST(Check, C6ARefusalWithEnoughOnTheAccountAllTheTime) {
    Good good;
    const Call& call = good.story.call(good.refused);
    good.story.history.legs.at(call.legs_begin).amount = -50;
    expect_only(good.story.history, Rule::refusals,
                "key too-much of alice was refused between 1048 and 1052, and there was always "
                "enough");
}

TEST(Check, C6ARefusalThatMayHaveComeBeforeTheMoneyIsJustified) {
    Story story;
    story.grant("alice", 10, "opening");
    const std::size_t refused = story.spend("alice", 50, "early");
    story.grant("alice", 100, "more");
    story.dump();
    story.call(refused).returned += 100;
    EXPECT_TRUE(check(story.history).good());
    story.call(refused).invoked = story.call(2).returned + 1;
    EXPECT_NE(witness(story.history, Rule::refusals), "");
}

TEST(Check, C6ARefusedReversalAskedForWhatItsTargetMoved) {
    Story story;
    const std::size_t mistake = story.grant("alice", 20, "mistake");
    story.hold("alice", 15, "hold");
    const std::size_t refused = story.reverse(mistake, "put-right");
    story.dump();
    const Verification whole = check(story.history);
    EXPECT_TRUE(whole.good()) << whole.findings.at(0).witness;
    story.history.legs.at(story.call(refused).legs_begin).amount = 5;  // For that there was enough.
    expect_only(story.history, Rule::refusals,
                "key put-right of alice was refused between 1028 and 1032, and there was always "
                "enough");
}

TEST(Check, C7AnOrderAgainstTheClock) {
    Story story;
    story.grant("alice", 10, "first");
    story.grant("alice", 10, "second");
    story.dump();
    std::swap(story.call(0).invoked, story.call(1).invoked);
    std::swap(story.call(0).returned, story.call(1).returned);
    EXPECT_EQ(witness(story.history, Rule::real_time),
              "alice:2 (+10, balance 20, held 0) was answered at 1012, and comes behind alice:1 "
              "(+10, balance 10, held 0), sent at 1018");
}

TEST(Check, C7AStaleRead) {
    Good good;
    const std::size_t read = good.story.read();
    Seen& bob = good.story.history.seen.at(good.story.call(read).seen_begin + 1);
    bob.seq = 2;
    bob.balance = 80;
    EXPECT_EQ(witness(good.story.history, Rule::real_time),
              "a read of bob at seq 2: balance 80, held 0, sent at 1088; the next was answered at "
              "1082");
}

TEST(Check, C7AStateThatNeverWas) {
    Good good;
    good.story.history.seen.at(good.story.call(good.read).seen_begin).balance = 71;
    EXPECT_EQ(witness(good.story.history, Rule::real_time),
              "a read of alice at seq 3: balance 71, held 20; that entry says 70, 20");
}

TEST(Check, C7TwoReadsThatSawTwoTransactionsInTwoOrders) {
    Story story;
    story.grant("alice", 10, "opening");
    story.grant("bob", 10, "opening");
    story.before = 500;
    story.after = 500;
    story.grant("alice", 1, "a");
    story.grant("bob", 1, "b");
    const std::size_t one = story.read();
    const std::size_t other = story.read();
    story.dump();
    Seen& bob = story.history.seen.at(story.call(one).seen_begin + 1);
    bob.seq = 1;
    bob.balance = 10;
    Seen& alice = story.history.seen.at(story.call(other).seen_begin);
    alice.seq = 1;
    alice.balance = 10;
    expect_only(story.history, Rule::real_time,
                "no order explains it: alice:2 before the read at 1550 before bob:2 before the "
                "read at 1560 before the first of them");
}

TEST(Check, C8AnEntryThatChanged) {
    Good good;
    good.story.history.dumps.front().entries.at(0).amount = 101;
    expect_only(good.story.history, Rule::immutable,
                "alice:1 (+101, balance 100, held 0) of dump 1 is alice:1 (+100, balance 100, held "
                "0) in dump 2");
}

TEST(Check, C8AnEntryThatVanished) {
    Good good;
    good.story.history.dumps.front().entries.push_back(
        {.account = good.story.id("carol"), .seq = 1, .amount = 5});
    expect_only(good.story.history, Rule::immutable,
                "carol:1 (+5, balance 0, held 0) was in dump 1, and is not in dump 2");
}

TEST(Check, C9AReplayInOtherBytes) {
    Good good;
    ++good.story.call(good.story.again(good.transfer)).body;
    expect_only(good.story.history, Rule::replay,
                "key to-bob of alice was accepted as alice:2 twice, in other bytes");
}

TEST(Check, C9ARefusalThatBecameAnAcceptance) {
    Good good;
    Call& late = good.story.call(good.story.again(good.refused));
    late.verdict = Verdict::ok;
    EXPECT_EQ(witness(good.story.history, Rule::replay),
              "key too-much of alice was accepted as  and refused (insufficient_balance)");
}

TEST(Check, C9AReusedKeyThatWasAccepted) {
    Good good;
    Call& other = good.story.call(good.story.again(good.spend));
    other.op = Op::grant;
    expect_only(good.story.history, Rule::replay,
                "key spend of bob, sent again with another command, was accepted as bob:3");
    other.verdict = Verdict::fail;
    other.code = good.story.id("idempotency_key_reused");
    EXPECT_TRUE(check(good.story.history).good());
}

TEST(Check, C13AHoldThatWasEndedTwice) {
    Good good;
    Entry& spend = good.story.entry("bob", 3);
    Entry& end = good.story.entry("alice", 4);
    spend.kind = EntryKind::commit;
    spend.hold = end.hold;
    EXPECT_EQ(witness(good.story.history, Rule::holds),
              "bob:3 (-5, balance 75, held 0) ends hold alice:3, which was never opened");
    Story story;
    story.grant("alice", 100, "opening");
    const std::size_t hold = story.hold("alice", 20, "hold");
    story.hold("alice", 20, "another");
    story.commit(hold, 0, "commit");
    story.void_hold(hold, "void");
    story.dump();
    expect_only(story.history, Rule::holds,
                "hold alice:2 was ended twice: alice:4 (-20, balance 80, held 20) and alice:5 (+0, "
                "balance 80, held 0)");
}

TEST(Check, C13ACommitOfMoreThanWasHeld) {
    Story story;
    story.grant("alice", 100, "opening");
    story.commit(story.hold("alice", 20, "hold"), 25, "commit");
    story.dump();
    expect_only(story.history, Rule::holds,
                "alice:3 (-25, balance 75, held 0) takes 25 of hold alice:2, which holds 20");
}

TEST(Check, AnOutcomeThatNobodyFoundOutIsNotGood) {
    Good good;
    Call& call = good.story.call(good.spend);
    call.verdict = Verdict::info;
    const Verification verification = check(good.story.history);
    EXPECT_TRUE(verification.findings.empty()) << verification.findings[0].witness;
    EXPECT_EQ(verification.unresolved, 1U);
    EXPECT_FALSE(verification.good());
}

}  // namespace
}  // namespace passbook::lab::checker
