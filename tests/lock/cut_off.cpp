// SPDX-License-Identifier: Apache-2.0
// The numbers are those of the failure scenarios in docs/locks.md.
#include "tests/lock/cut_off.h"

#include <atomic>

namespace passbook::lock_tests {
namespace {

TEST_P(CutOff, Test03AStaleReleaseTouchesNobodyElse) {
    auto stale = held(*a);
    proxy.hold_all(true);
    auto next = held(b, Millis(10'000));
    EXPECT_FALSE(stale.valid());
    proxy.hold_all(false);
    const Released said = stale.release();
    EXPECT_TRUE(said == Released::not_owner || said == Released::already_expired)
        << lock::name_of(said);
    EXPECT_TRUE(next.valid());
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::busy);
    std::this_thread::sleep_for(quick().ttl);
    EXPECT_TRUE(next.valid()) << "its renewals found it";
    EXPECT_EQ(next.release(), Released::released);
}

TEST_P(CutOff, Test04DestructorsWithTheServiceDown) {
    {
        const auto guard = held(*a);
        proxy.set_down(true);
    }
    EXPECT_EQ(a->counters().releases[static_cast<std::size_t>(Released::unknown)].value(), 1U);
    const auto other = a->acquire({.keys = {"l"}});
    EXPECT_EQ(other.result, Acquired::unavailable);
    a.reset();  // with what is left to be cleaned up
    EXPECT_EQ(b.acquire({{"k"}, Millis(10'000)}).result, Acquired::acquired);
}

TEST_P(CutOff, Test05ALostAnswerToAReleaseLeavesNothingBehind) {
    auto guard = held(*a);
    const std::string token = guard.token().hex();
    proxy.lose_answers(true);
    std::thread later([&] {
        std::this_thread::sleep_for(Millis(200));
        cut_for(Millis(600));  // beyond the time-out of the release
        proxy.lose_answers(false);
    });
    EXPECT_EQ(guard.release(), Released::unknown);
    EXPECT_EQ(a->acquire({.keys = {"k"}}).result, Acquired::unavailable)
        << "by its identity nobody gets in";
    later.join();
    auto other = held(b, quick().ttl * 2);
    EXPECT_TRUE(eventually([&] { return a->acquire({{"k"}}).result == Acquired::busy; }));
    EXPECT_EQ(other.release(), Released::released);
    auto again = held(*a, Millis(5'000));
    EXPECT_NE(again.token().hex(), token);
    EXPECT_EQ(again.release(), Released::released);
}

TEST_P(CutOff, Test06ABlockedRenewalIsToldBeforeAnybodyElseGetsIn) {
    auto guard = held(*a);
    std::this_thread::sleep_for(quick().ttl / 2);  // after a renewal
    ASSERT_TRUE(guard.valid());
    std::atomic<Steady::time_point> told{};
    const std::stop_callback callback(guard.stop_token(), [&] { told = Steady::now(); });
    const auto blocked = Steady::now();
    proxy.hold_all(true);
    auto next = held(b, Millis(10'000));
    const auto taken = Steady::now();
    proxy.hold_all(false);
    ASSERT_NE(told.load(), Steady::time_point{}) << "told before anybody else got in";
    EXPECT_LT(told.load(), taken - quick().margin / 2);
    EXPECT_LE(told.load(), blocked + quick().ttl - quick().margin + Millis(50));
    EXPECT_FALSE(guard.valid());
    if (!GetParam().is_bound_to_link) {
        EXPECT_GE(told.load(), blocked + quick().ttl / 2) << "and not at the first try";
        EXPECT_EQ(guard.lost(), Loss::unreachable);
    }
    EXPECT_TRUE(next.valid());
}

TEST_P(CutOff, Test07RenewalGoesOnAfterAReconnect) {
    auto guard = held(*a);
    cut_for(quick().ttl / 2);
    std::this_thread::sleep_for(quick().ttl * 2);
    if (GetParam().is_bound_to_link) {
        EXPECT_FALSE(guard.valid());
        EXPECT_TRUE(guard.lost());
    } else {
        EXPECT_TRUE(guard.valid());
        EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::busy);
        EXPECT_EQ(guard.release(), Released::released);
    }
    auto later = held(*a, Millis(5'000));
    std::this_thread::sleep_for(quick().ttl * 2);
    EXPECT_TRUE(later.valid());
    EXPECT_EQ(b.acquire({.keys = {"k"}}).result, Acquired::busy);
}

}  // namespace
}  // namespace passbook::lock_tests
