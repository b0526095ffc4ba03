// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>
#include <atomic>
#include <filesystem>
#include <thread>

#include "passbook/ledger.h"

namespace passbook {
namespace {

class ApiTest : public testing::Test {
public:
    ~ApiTest() override {
        std::filesystem::remove_all(folder);
    }

protected:
    ApiTest() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder = std::filesystem::temp_directory_path() /
                 ("passbook-api-" + std::to_string(::getpid()) + "-" + test->name());
        std::filesystem::create_directories(folder);
    }

    [[nodiscard]] std::string url() const {
        return "sqlite:" + (folder / "store.db").string();
    }

    std::filesystem::path folder;
};

TEST_F(ApiTest, GrantsSpendsRepeatsAndRefuses) {
    Ledger ledger = Ledger::open(url());
    EXPECT_EQ(ledger.grant({.account = "alice", .amount = 100, .key = "k1"}).receipt->balance, 100);
    const Outcome spend = ledger.spend({.account = "alice", .amount = 30, .key = "k2"});
    const Outcome again = ledger.spend({.account = "alice", .amount = 30, .key = "k2"});
    EXPECT_FALSE(spend.replayed);
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.receipt->transaction, spend.receipt->transaction);
    EXPECT_EQ(again.receipt->balance, 70);
    const Outcome refused = ledger.spend({.account = "alice", .amount = 71, .key = "k3"});
    ASSERT_FALSE(refused.accepted());
    EXPECT_EQ(refused.refused->code, "insufficient_balance");
    EXPECT_EQ(ledger.lines("alice").size(), 2U);
}

TEST_F(ApiTest, KeepsEverythingWhenOpenedAgain) {
    std::string hold;
    {
        Ledger ledger = Ledger::open(url());
        (void)ledger.grant({.account = "alice", .amount = 100, .key = "k1", .reason = "gift"});
        hold = *ledger.hold({.account = "alice", .amount = 60, .key = "k2"}).receipt->hold;
    }
    Ledger ledger = Ledger::open(url());
    EXPECT_EQ(ledger.account("alice")->available, 40);
    EXPECT_EQ(ledger.lines("alice").front().reason, "gift");
    const Outcome committed = ledger.commit({.hold = hold, .key = "k3", .amount = 50, .to = "bob"});
    EXPECT_EQ(committed.receipt->balance, 50);
    EXPECT_EQ(committed.receipt->lines.size(), 2U);
    EXPECT_EQ(ledger.account("bob")->balance, 50);
    EXPECT_TRUE(ledger.commit({.hold = hold, .key = "k3", .amount = 50, .to = "bob"}).replayed);
}

TEST_F(ApiTest, AStoreIsHeldByOneLedger) {
    Ledger ledger = Ledger::open(url());
    try {
        (void)Ledger::open(url());
        FAIL() << "opened twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::unavailable);
        EXPECT_NE(std::string(error.what()).find("in use by process"), std::string::npos);
    }
}

TEST_F(ApiTest, SaysWhatIsWrongWithARequest) {
    Ledger ledger = Ledger::open(url());
    const auto kind_of = [](auto&& call) {
        try {
            call();
        } catch (const Error& error) {
            return error.kind();
        }
        return Error::Kind::broken;
    };
    EXPECT_EQ(kind_of([&] { (void)ledger.grant({.account = "a b", .amount = 1, .key = "k"}); }),
              Error::Kind::malformed);
    EXPECT_EQ(kind_of([&] { (void)ledger.grant({.account = "a", .amount = 0, .key = "k"}); }),
              Error::Kind::malformed);
    EXPECT_EQ(kind_of([&] { (void)ledger.spend({.account = "a", .amount = 1, .key = "k"}); }),
              Error::Kind::not_found);
    (void)ledger.grant({.account = "a", .amount = 1, .key = "k"});
    EXPECT_EQ(kind_of([&] { (void)ledger.grant({.account = "a", .amount = 2, .key = "k"}); }),
              Error::Kind::key_reused);
    EXPECT_THROW((void)Ledger::open("redis://x"), Error);
}

TEST_F(ApiTest, TenParallelSpendsOf30Against100AreThree) {
    Ledger ledger = Ledger::open(url());
    (void)ledger.grant({.account = "alice", .amount = 100, .key = "k"});
    std::atomic<int> accepted = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i) {
        threads.emplace_back([&, i] {
            const auto spend =
                ledger.spend({.account = "alice", .amount = 30, .key = "s" + std::to_string(i)});
            accepted += spend.accepted() ? 1 : 0;
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(accepted, 3);
    EXPECT_EQ(ledger.account("alice")->balance, 10);
}

}  // namespace
}  // namespace passbook
