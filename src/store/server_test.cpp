// SPDX-License-Identifier: Apache-2.0
#include "store/server.h"

#include <gtest/gtest.h>

namespace passbook::store {
namespace {

template <class Thrown>
bool is_thrown_as(Meaning meaning, FailureKind kind, std::string_view native = "12345") {
    try {
        throw_as(meaning, "what", "12345");
    } catch (const Failure& failure) {
        return dynamic_cast<const Thrown*>(&failure) != nullptr && failure.kind() == kind &&
               failure.native() == native;
    }
}

TEST(Server, AMeaningIsThrownAsWhatTheWriterActsOn) {
    EXPECT_TRUE(is_thrown_as<Conflict>(Meaning::conflict, FailureKind::busy));
    EXPECT_TRUE(is_thrown_as<GuardFired>(Meaning::guard, FailureKind::broken));
    EXPECT_TRUE(is_thrown_as<KeyUsed>(Meaning::key_used, FailureKind::busy, "key_used"));
    EXPECT_FALSE(is_thrown_as<KeyUsed>(Meaning::conflict, FailureKind::busy));
    EXPECT_TRUE(is_thrown_as<Failure>(Meaning::unavailable, FailureKind::unavailable));
    EXPECT_TRUE(is_thrown_as<Failure>(Meaning::in_doubt, FailureKind::in_doubt));
    EXPECT_TRUE(is_thrown_as<Failure>(Meaning::broken, FailureKind::broken));
    EXPECT_FALSE(is_thrown_as<GuardFired>(Meaning::broken, FailureKind::broken));
}

}  // namespace
}  // namespace passbook::store
