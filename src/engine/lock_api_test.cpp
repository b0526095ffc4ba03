// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>
#include <atomic>
#include <filesystem>
#include <thread>

#include "passbook/lock.h"

namespace passbook {
namespace {

class LockApi : public testing::Test {
protected:
    LockApi()
        : folder_(std::filesystem::temp_directory_path() /
                  ("passbook-lock-api-" + std::to_string(::getpid()))),
          store("sqlite:" +
                (std::filesystem::create_directories(folder_), folder_ / "test.db").string()) {
        (void)Ledger::open(store);
    }
    ~LockApi() override {
        std::filesystem::remove_all(folder_);
    }

private:
    std::filesystem::path folder_;

protected:
    std::string store;
};

TEST_F(LockApi, AJobRunsOnceAtATime) {
    for (const std::string service : {"store", "local"}) {
        auto locks = Locks::open(service, store);
        auto first = locks.acquire("job");
        ASSERT_EQ(first.result, Acquisition::Result::acquired) << service;
        EXPECT_TRUE(first.lock->valid());
        EXPECT_EQ(first.lock->key(), "job");
        EXPECT_EQ(first.lock->lost(), "");
        EXPECT_EQ(locks.acquire("job").result, Acquisition::Result::busy);
        EXPECT_EQ(locks.acquire("job", std::chrono::milliseconds(50)).result,
                  Acquisition::Result::timeout);
        const Fence fence = first.lock->fence();
        EXPECT_EQ(first.lock->release(), "released");
        const auto second = locks.acquire("job");
        ASSERT_TRUE(second.lock);
        EXPECT_GT(second.lock->fence().number, fence.number);
    }
}

TEST_F(LockApi, AFenceIsAnAssignmentAndACondition) {
    const Fence fence{42};
    EXPECT_EQ(fence.set("fence"), "fence = 42");
    EXPECT_EQ(fence.allows("reports.fence"), "reports.fence <= 42");
    EXPECT_THROW((void)fence.set("fence = 0 --"), std::invalid_argument);
    EXPECT_THROW((void)fence.allows(""), std::invalid_argument);
}

TEST_F(LockApi, LateWritesAreCounted) {
    auto locks = Locks::open("local", store);
    const auto held = locks.acquire("job");
    locks.note_late_write(*held.lock);
    EXPECT_EQ(locks.late_writes(), 1U);
}

TEST_F(LockApi, TellsInOneLineWhatIsWrong) {
    const auto fault = [&](const std::string& service, const Locks::Times& times = {}) {
        try {
            (void)Locks::open(service, store, times);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(fault("memcached://:secret@x").find("--lock `memcached`"), std::string::npos);
    EXPECT_EQ(fault("memcached://:secret@x").find("secret"), std::string::npos);
    EXPECT_NE(fault("redis://").find("names no host"), std::string::npos);
    EXPECT_NE(fault("advisory").find("SQLite has no advisory locks"), std::string::npos);
    EXPECT_NE(fault("none"), "");
    EXPECT_NE(fault("local", {.ttl = std::chrono::milliseconds(1)}).find("ttl must be"),
              std::string::npos);
    auto locks = Locks::open("local", store);
    EXPECT_THROW((void)locks.acquire("no key"), Error);
}

TEST_F(LockApi, ARedisThatIsDownIsUnavailableAndNoRefusal) {
    auto locks = Locks::open("redis://127.0.0.1:1", store);
    EXPECT_EQ(locks.acquire("job").result, Acquisition::Result::unavailable);
}

}  // namespace
}  // namespace passbook
