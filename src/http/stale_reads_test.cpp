// SPDX-License-Identifier: Apache-2.0
// Reads that may be stale: where they are answered, and what marks them.
#include <atomic>
#include <chrono>
#include <optional>

#include "base/failure.h"
#include "http/api_harness.h"

namespace passbook::http {
namespace {

/// Another store in place of a copy that is behind.
class OtherStore final : public store::Standby {
public:
    explicit OtherStore(engine::Engine& engine) : engine_(engine) {}

    std::string describe() const override {
        return "another store";
    }
    std::unique_ptr<store::StandbyReader> reader() override {
        return std::make_unique<Reader>(*this);
    }

    std::atomic<bool> knows_its_age = true;
    std::atomic<bool> gone = false;

private:
    class Reader final : public store::StandbyReader {
    public:
        explicit Reader(OtherStore& store) : store_(store), reader_(store.engine_.reader()) {}

        store::Position position() override {
            if (store_.gone) {
                throw Failure(FailureKind::unavailable, "the standby is gone");
            }
            return {.log = "0/16B3748",
                    .stale = store_.knows_its_age ? std::optional(std::chrono::seconds(7))
                                                  : std::nullopt};
        }
        store::Reader& rows() override {
            return *reader_;
        }

    private:
        OtherStore& store_;
        engine::ReaderPool::Lease reader_;
    };

    engine::Engine& engine_;
};

class StaleReads : public ApiTest {
protected:
    StaleReads()
        : other_engine_({.store = "sqlite:" + (folder_ / "other.db").string(), .clock = &clock_}),
          standby_(other_engine_) {
        ServerOptions options;
        options.listen.port = 0;
        with_standby_ = std::make_unique<Api>(*engine_, options, &standby_);
        (void)other_engine_.call(
            *ledger::prepare({.action = ledger::Grant{AccountId::trusted("alice"), 5, {}},
                              .key = Key::trusted("k")}));
        grant("alice", 100);
    }
    ~StaleReads() override {
        EXPECT_TRUE(with_standby_->stop(std::chrono::seconds(5)));
    }

    RawResponse ask(const std::string& path) {
        RawClient client(with_standby_->port());
        client.send(
            text_of({.method = "GET", .path = path, .body = {}, .key = {}, .more_headers = {}}));
        return client.receive();
    }

    engine::Engine other_engine_;
    OtherStore standby_;
    std::unique_ptr<Api> with_standby_;
};

TEST_F(StaleReads, OnlyWhoAsksForThemIsAnsweredFromTheStandby) {
    for (const std::string query : {"", "?stale_ok=false"}) {
        const RawResponse fresh = ask("/v1/accounts/alice" + query);
        EXPECT_EQ(field(fresh.body, "balance"), "100");
        EXPECT_EQ(fresh.header("Passbook-Position"), "");
        EXPECT_EQ(fresh.header("Passbook-Stale-Seconds"), "");
    }
    const RawResponse stale = ask("/v1/accounts/alice?stale_ok=true");
    EXPECT_EQ(field(stale.body, "balance"), "5");
    EXPECT_EQ(stale.header("Passbook-Position"), "0/16B3748");
    EXPECT_EQ(stale.header("Passbook-Stale-Seconds"), "7");
    standby_.knows_its_age = false;
    const RawResponse unknown = ask("/v1/accounts/alice?stale_ok=true");
    EXPECT_EQ(unknown.header("Passbook-Position"), "0/16B3748");
    EXPECT_EQ(unknown.header("Passbook-Stale-Seconds"), "");
}

TEST_F(StaleReads, WhatIsNotThereYetIsMarkedToo) {
    grant("bob", 1);
    EXPECT_EQ(ask("/v1/accounts/bob").status, 200);
    const RawResponse missing = ask("/v1/accounts/bob?stale_ok=true");
    EXPECT_EQ(missing.status, 404);
    EXPECT_EQ(missing.header("Passbook-Position"), "0/16B3748");
}

TEST_F(StaleReads, AStandbyThatIsGoneFailsOnlyThem) {
    standby_.gone = true;
    const RawResponse stale = ask("/v1/accounts/alice?stale_ok=true");
    EXPECT_EQ(stale.status, 503);
    EXPECT_EQ(field(stale.body, "code"), "unavailable");
    EXPECT_EQ(ask("/v1/accounts/alice").status, 200);
    standby_.gone = false;
    EXPECT_EQ(ask("/v1/accounts/alice?stale_ok=true").status, 200);
}

TEST_F(StaleReads, AreAllowedOnNounsOfTheLedgerAndNowhereElse) {
    grant("alice", 1);
    for (const std::string path :
         {"/v1/accounts", "/v1/accounts/alice", "/v1/accounts/alice/balance",
          "/v1/accounts/alice/entries", "/v1/transactions/alice:1"}) {
        const RawResponse answer = ask(path + "?stale_ok=true");
        EXPECT_EQ(answer.status, 200) << path;
        EXPECT_NE(answer.header("Passbook-Position"), "") << path;
    }
    EXPECT_EQ(ask("/v1/holds/alice:1?stale_ok=true").status, 404);
    for (const std::string path :
         {"/v1/requests/account/alice?key=k&", "/v1/assets?", "/v1/assets/point?"}) {
        const RawResponse answer = ask(path + "stale_ok=true");
        EXPECT_EQ(answer.status, 400) << path;
        EXPECT_EQ(field(answer.body, "code"), "invalid_parameter") << path;
    }
}

TEST_F(StaleReads, TheParameterIsTrueOrFalse) {
    for (const std::string value : {"", "1", "yes", "True", "true,false"}) {
        const RawResponse answer = ask("/v1/accounts/alice?stale_ok=" + value);
        EXPECT_EQ(answer.status, 400) << value;
        EXPECT_EQ(field(answer.body, "code"), "invalid_parameter") << value;
    }
}

TEST_F(StaleReads, WithoutAStandbyTheStoreItselfAnswers) {
    const RawResponse answer = get("/v1/accounts/alice?stale_ok=true");
    EXPECT_EQ(field(answer.body, "balance"), "100");
    EXPECT_EQ(answer.header("Passbook-Position"), "");
    EXPECT_EQ(get("/v1/accounts/alice?stale_ok=maybe").status, 400);
}

}  // namespace
}  // namespace passbook::http
