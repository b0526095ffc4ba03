// SPDX-License-Identifier: Apache-2.0
// What the ledger's routes answer when all is well, and the refusals of the business.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/api_harness.h"

namespace passbook::http {
namespace {

TEST_F(ApiTest, AGrantShowsTheAccountAfterItAndItsEntry) {
    const RawResponse response =
        post("/v1/accounts/alice/grants",
             R"({"amount":100,"reason":"\u0077elcome","metadata":{"b":1,"a":"가"},)"
             R"("effective_at":"2026-01-31T09:00:00+09:00"})",
             "first");
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.header("Idempotency-Replayed"), "");
    EXPECT_EQ(
        response.body,
        R"({"transaction":"alice:1","kind":"grant","account":"alice","amount":100,"balance":100,)"
        R"("held":0,"available":100,"seq":1,"reason":"welcome","metadata":{"a":"가","b":1},)"
        R"("effective_at":"2026-01-31T00:00:00.000000Z",)"
        R"("recorded_at":"2026-09-21T14:13:20.000000Z","entries":[{"account":"alice",)"
        R"("seq":1,"kind":"grant","amount":100,"held_change":0,"balance_after":100,)"
        R"("held_after":0}]})");
}

TEST_F(ApiTest, ASpendIsRepeatedByteForByte) {
    grant("alice", 100);
    const RawResponse first = post("/v1/accounts/alice/spends", R"({"amount":30})", "k1");
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(field(first.body, "amount"), "-30");
    EXPECT_EQ(field(first.body, "balance"), "70");
    EXPECT_EQ(post("/v1/accounts/alice/spends", R"({"amount":20})").status, 201);
    clock_.advance_seconds(10);
    const RawResponse again = post("/v1/accounts/alice/spends", "{ \"amount\" : 30 }", "k1");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(field(get("/v1/accounts/alice").body, "balance"), "50");
}

TEST_F(ApiTest, ARefusalIsKeptAndRepeatedByteForByteWhateverHappensSince) {
    grant("alice", 10);
    const RawResponse first = post("/v1/accounts/alice/spends", R"({"amount":30})", "k1");
    EXPECT_EQ(first.status, 422);
    EXPECT_EQ(first.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(field(first.body, "type"), "/problems/insufficient_balance");
    EXPECT_EQ(field(first.body, "code"), "insufficient_balance");
    EXPECT_EQ(field(first.body, "status"), "422");
    EXPECT_EQ(field(first.body, "account"), "alice");
    grant("alice", 1000);
    const RawResponse again = post("/v1/accounts/alice/spends", R"({"amount":30})", "\"k1\"");
    EXPECT_EQ(again.status, 422);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(field(get("/v1/accounts/alice").body, "balance"), "1010");
}

TEST_F(ApiTest, AKeyForAnotherCommandIsRefusedAndBelongsToItsSubjectAlone) {
    grant("alice", 100);
    grant("bob", 100);
    EXPECT_EQ(post("/v1/accounts/alice/spends", R"({"amount":1})", "k").status, 201);
    for (const char* body : {R"({"amount":2})", R"({"amount":1,"reason":"x"})"}) {
        const RawResponse other = post("/v1/accounts/alice/spends", body, "k");
        EXPECT_EQ(other.status, 422);
        EXPECT_EQ(field(other.body, "code"), "idempotency_key_reused");
        EXPECT_EQ(other.header("Idempotency-Replayed"), "");
    }
    EXPECT_EQ(post("/v1/accounts/bob/spends", R"({"amount":2})", "k").status, 201);
}

TEST_F(ApiTest, ATransferAndATransactionShowEveryEntry) {
    grant("alice", 100);
    grant("bob", 1);
    const RawResponse transfer =
        post("/v1/transfers", R"({"from":"alice","to":"bob","amount":40})");
    EXPECT_EQ(transfer.status, 201);
    EXPECT_EQ(field(transfer.body, "account"), "alice");
    EXPECT_EQ(field(transfer.body, "amount"), "-40");
    EXPECT_NE(transfer.body.find(R"({"account":"bob","seq":2,"kind":"transfer","amount":40,)"
                                 R"("held_change":0,"balance_after":41,"held_after":0})"),
              std::string::npos)
        << transfer.body;
    const RawResponse transaction =
        post("/v1/transactions",
             R"({"postings":[{"account":"bob","amount":-1},{"account":"alice","amount":1}]})");
    EXPECT_EQ(transaction.status, 201);
    EXPECT_EQ(field(transaction.body, "account"), "alice");
    EXPECT_EQ(field(transaction.body, "balance"), "61");
    const RawResponse shown = get("/v1/transactions/" + field(transaction.body, "transaction"));
    EXPECT_EQ(shown.status, 200);
    EXPECT_NE(shown.body.find(R"("held_after":0,"reversed":0})"), std::string::npos);
}

TEST_F(ApiTest, AReversalNamesWhatItTakesBack) {
    grant("alice", 100);
    const RawResponse spend = post("/v1/accounts/alice/spends", R"({"amount":30})");
    const std::string id = field(spend.body, "transaction");
    const RawResponse part = post("/v1/transactions/" + id + "/reverse", R"({"amount":10})");
    EXPECT_EQ(part.status, 201) << part.body;
    EXPECT_EQ(field(part.body, "kind"), "reverse");
    EXPECT_EQ(field(part.body, "amount"), "10");
    EXPECT_EQ(field(part.body, "reverses"), id);
    EXPECT_NE(get("/v1/transactions/" + id).body.find(R"("reversed":10)"), std::string::npos);
    const RawResponse rest = post("/v1/transactions/" + id + "/reverse", "");
    EXPECT_EQ(field(rest.body, "amount"), "20");
    EXPECT_EQ(field(rest.body, "balance"), "100");
    const RawResponse none = post("/v1/transactions/" + id + "/reverse", "");
    EXPECT_EQ(none.status, 422);
    EXPECT_EQ(field(none.body, "code"), "already_reversed");
}

TEST_F(ApiTest, AHoldLivesFromOpenToCommitted) {
    grant("alice", 100);
    const RawResponse placed =
        post("/v1/holds", R"({"account":"alice","amount":60,"expires_in":100})", "h1");
    EXPECT_EQ(placed.status, 201) << placed.body;
    const std::string hold = field(placed.body, "hold");
    const std::string id = field(hold, "id");
    EXPECT_EQ(hold, R"({"account":"alice","amount":60,"expires_at":"2026-09-21T14:15:00.000000Z",)"
                    R"("id":")" +
                        id + R"(","status":"open"})");
    EXPECT_EQ(field(placed.body, "available"), "40");
    EXPECT_EQ(get("/v1/holds/" + id).body, R"({"id":")" + id +
                                               R"(","account":"alice","amount":60,"status":"open",)"
                                               R"("expires_at":"2026-09-21T14:15:00.000000Z"})");
    const RawResponse committed = post("/v1/holds/" + id + "/commit", R"({"amount":45})");
    EXPECT_EQ(committed.status, 201) << committed.body;
    EXPECT_EQ(field(committed.body, "balance"), "55");
    EXPECT_EQ(field(committed.body, "held"), "0");
    EXPECT_EQ(field(field(committed.body, "hold"), "status"), "committed");
    EXPECT_EQ(field(get("/v1/holds/" + id).body, "committed"), "45");
    const RawResponse late = post("/v1/holds/" + id + "/void", "");
    EXPECT_EQ(late.status, 409);
    EXPECT_EQ(field(late.body, "code"), "hold_not_open");
    const RawResponse again =
        post("/v1/holds", R"({"account":"alice","amount":60,"expires_in":100})", "h1");
    EXPECT_EQ(again.body, placed.body) << "a replay shows what was, not what is";
}

TEST_F(ApiTest, AHoldPastItsTimeBlocksNothing) {
    grant("alice", 100);
    const RawResponse placed =
        post("/v1/holds", R"({"account":"alice","amount":60,"expires_in":1})");
    const std::string id = field(field(placed.body, "hold"), "id");
    clock_.advance_seconds(2);
    EXPECT_EQ(field(get("/v1/holds/" + id).body, "status"), "expired");
    EXPECT_EQ(field(get("/v1/accounts/alice").body, "available"), "100");
    EXPECT_EQ(post("/v1/accounts/alice/spends", R"({"amount":100})").status, 201);
}

TEST_F(ApiTest, AnAccountIsPutShownFrozenAndClosed) {
    const RawResponse created =
        put("/v1/accounts/alice", R"({"floor":-50,"ceiling":null,"metadata":{"x":[1]}})");
    EXPECT_EQ(created.status, 201) << created.body;
    EXPECT_EQ(created.body,
              R"({"id":"alice","asset":"point","status":"open","floor":-50,"ceiling":null,)"
              R"("metadata":{"x":[1]},"balance":0,"held":0,"available":0,"seq":0,)"
              R"("opened_at":"2026-09-21T14:13:20.000000Z"})");
    EXPECT_EQ(get("/v1/accounts/alice").body, created.body);
    const RawResponse changed = put("/v1/accounts/alice", R"({"floor":null})");
    EXPECT_EQ(changed.status, 200);
    EXPECT_EQ(field(changed.body, "floor"), "null");
    EXPECT_EQ(field(changed.body, "metadata"), R"({"x":[1]})");
    EXPECT_EQ(field(put("/v1/accounts/alice", R"({"ceiling":-1})").body, "code"), "limit_in_use");

    const RawResponse frozen = send({.method = "POST",
                                     .path = "/v1/accounts/alice/freeze",
                                     .body = {},
                                     .key = {},
                                     .more_headers = {}});
    EXPECT_EQ(frozen.status, 201) << frozen.body;
    EXPECT_EQ(field(frozen.body, "kind"), "freeze");
    EXPECT_EQ(field(frozen.body, "transaction"), "null");
    EXPECT_EQ(field(post("/v1/accounts/alice/grants", R"({"amount":1})").body, "code"),
              "account_frozen");
    EXPECT_EQ(post("/v1/accounts/alice/unfreeze", R"({"reason":"fine"})").status, 201);
    grant("alice", 1);
    EXPECT_EQ(field(post("/v1/accounts/alice/close", "").body, "code"), "account_not_empty");
    EXPECT_EQ(post("/v1/accounts/alice/spends", R"({"amount":1})").status, 201);
    EXPECT_EQ(post("/v1/accounts/alice/close", "").status, 201);
    EXPECT_EQ(field(get("/v1/accounts/alice").body, "status"), "closed");
}

TEST_F(ApiTest, AnAssetIsPutAndItsRuleHolds) {
    const RawResponse created =
        put("/v1/assets/KRW", R"({"scale":0,"balanced":true,"floor":null})");
    EXPECT_EQ(created.status, 201);
    EXPECT_EQ(created.body,
              R"({"code":"KRW","scale":0,"balanced":true,"open_on_first_credit":true,)"
              R"("floor":null,"ceiling":null})");
    EXPECT_EQ(get("/v1/assets/KRW").body, created.body);
    EXPECT_NE(get("/v1/assets").body.find(R"("code":"point")"), std::string::npos);
    EXPECT_EQ(put("/v1/accounts/bank", R"({"asset":"KRW"})").status, 201);
    const RawResponse alone = post("/v1/accounts/bank/grants", R"({"amount":5,"asset":"KRW"})");
    EXPECT_EQ(field(alone.body, "code"), "unbalanced_transaction");
    EXPECT_EQ(field(put("/v1/assets/KRW", R"({"balanced":false})").body, "code"), "immutable");
    EXPECT_EQ(put("/v1/assets/KRW", R"({"ceiling":5})").status, 200);
    EXPECT_EQ(get("/v1/assets/none").status, 404);
}

TEST_F(ApiTest, ThePassbookIsReadPageByPage) {
    for (int i = 1; i <= 5; ++i) {
        grant("alice", i);
    }
    const RawResponse first = get("/v1/accounts/alice/entries?limit=2");
    EXPECT_EQ(first.status, 200);
    EXPECT_NE(
        first.body.find(R"({"seq":1,"kind":"grant","amount":1,"held_change":0,)"
                        R"("balance_after":1,"held_after":0,)"
                        R"("recorded_at":"2026-09-21T14:13:20.000000Z","transaction":"alice:1")"),
        std::string::npos)
        << first.body;
    std::string next = field(first.body, "next_cursor");
    const RawResponse second = get("/v1/accounts/alice/entries?limit=2&cursor=" + next);
    EXPECT_NE(second.body.find(R"([{"seq":3,)"), std::string::npos) << second.body;
    next = field(second.body, "next_cursor");
    const RawResponse last = get("/v1/accounts/alice/entries?limit=2&cursor=" + next);
    EXPECT_NE(last.body.find(R"([{"seq":5,)"), std::string::npos);
    EXPECT_EQ(field(last.body, "next_cursor"), "null");
    EXPECT_EQ(get("/v1/accounts?cursor=" + next).status, 400) << "of another list";
}

TEST_F(ApiTest, AllAccountsAreListedOnceInPages) {
    for (const char* name : {"a", "b", "c", "d", "e"}) {
        grant(name, 1);
    }
    std::string ids;
    std::string path = "/v1/accounts?limit=2";
    for (int pages = 0; pages < 3; ++pages) {
        const RawResponse page = get(path);
        for (const char* name : {"a", "b", "c", "d", "e"}) {
            if (page.body.find("\"id\":\"" + std::string(name) + "\"") != std::string::npos) {
                ids += name;
            }
        }
        path = "/v1/accounts?limit=2&cursor=" + field(page.body, "next_cursor");
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, "abcde");
}

TEST_F(ApiTest, TheBalanceAtATimeIsByRecordOrByLabel) {
    grant("alice", 10);
    clock_.advance_seconds(100);
    post("/v1/accounts/alice/grants", R"({"amount":5,"effective_at":"2020-01-01T00:00:00Z"})");
    EXPECT_EQ(get("/v1/accounts/alice/balance?at=2026-09-21T14:13:21Z").body,
              R"({"account":"alice","at":"2026-09-21T14:13:21.000000Z","by":"recorded",)"
              R"("balance":10,"seq":1})");
    EXPECT_EQ(field(get("/v1/accounts/alice/balance?at=2021-01-01T00:00:00Z").body, "balance"),
              "0");
    EXPECT_EQ(field(get("/v1/accounts/alice/balance?at=2021-01-01T00:00:00Z&by=effective").body,
                    "balance"),
              "5");
    EXPECT_EQ(field(get("/v1/accounts/alice/balance").body, "balance"), "15");
}

TEST_F(ApiTest, TheOutcomeOfAKeyIsLookedUp) {
    grant("alice", 10);
    const RawResponse spend = post("/v1/accounts/alice/spends", R"({"amount":4})", "good+1");
    const RawResponse refused = post("/v1/accounts/alice/spends", R"({"amount":40})", "bad");
    EXPECT_EQ(get("/v1/requests/account/alice?key=good%2B1").body,
              R"({"status":201,"body":)" + spend.body + "}");
    EXPECT_EQ(get("/v1/requests/account/alice?key=good+1").status, 200) << "a plus is a plus";
    EXPECT_EQ(get("/v1/requests/account/alice?key=bad").body,
              R"({"status":422,"body":)" + refused.body + "}");
    const RawResponse none = get("/v1/requests/account/alice?key=never");
    EXPECT_EQ(none.status, 404);
    EXPECT_EQ(field(none.body, "code"), "request_not_found");
    EXPECT_EQ(field(get("/v1/requests/buyer/alice?key=k").body, "code"), "unknown_kind");
    EXPECT_EQ(field(get("/v1/requests/account/alice").body, "code"), "idempotency_key_missing");
}

TEST_F(ApiTest, ABatchGivesEachCommandItsOwnOutcomeInItsPlace) {
    const std::string body =
        R"({"commands":[)"
        R"({"kind":"grant","account":"a","amount":10,"idempotency_key":"1"},)"
        R"({"kind":"spend","account":"a","amount":4,"idempotency_key":"2"},)"
        R"({"kind":"spend","account":"a","amount":4,"idempotency_key":"2"},)"
        R"({"kind":"spend","account":"a","amount":40,"idempotency_key":"3"},)"
        R"({"kind":"spend","account":"a","amount":1.5,"idempotency_key":"4"},)"
        R"({"kind":"spend","account":"a","amount":1},)"
        R"({"kind":"dance","idempotency_key":"5"},)"
        R"(7,)"
        R"({"kind":"spend","account":"nobody","amount":1,"idempotency_key":"6"},)"
        R"({"kind":"freeze","account":"a"}]})";
    const Ask ask{
        .method = "POST", .path = "/v1/batch", .body = body, .key = {}, .more_headers = {}};
    const RawResponse response = send(ask);
    EXPECT_EQ(response.status, 200);
    const std::vector<std::string> expected{
        R"({"status":201,"replayed":false,"body":{"transaction":"a:)",
        R"({"status":201,"replayed":false,"body":{"transaction":"a:)",
        R"({"status":201,"replayed":true,"body":{"transaction":"a:)",
        R"({"status":422,"replayed":false,"body":{"type":"/problems/insufficient_balance")",
        R"({"status":400,"replayed":false,"body":{"type":"/problems/amount_invalid")",
        R"({"status":400,"replayed":false,"body":{"type":"/problems/idempotency_key_missing")",
        R"({"status":400,"replayed":false,"body":{"type":"/problems/unknown_kind")",
        R"({"status":400,"replayed":false,"body":{"type":"/problems/wrong_type")",
        R"({"status":404,"replayed":false,"body":{"type":"/problems/account_not_found")",
        R"({"status":201,"replayed":false,"body":{"transaction":null,"kind":"freeze")"};
    std::size_t at = 0;
    for (const std::string& part : expected) {
        at = response.body.find(part, at);
        ASSERT_NE(at, std::string::npos) << part << "\n" << response.body;
        ++at;
    }
    EXPECT_NE(response.body.find("/commands/4/amount"), std::string::npos);
    EXPECT_EQ(field(get("/v1/accounts/a").body, "balance"), "6");

    const std::string single =
        get("/v1/requests/account/a?key=2").body.substr(std::string(R"({"status":201,)").size());
    EXPECT_NE(response.body.find(single.substr(0, single.size() - 1)), std::string::npos);
    EXPECT_EQ(send({.method = "POST",
                    .path = "/v1/batch",
                    .body = R"({"commands":[]})",
                    .key = {},
                    .more_headers = {}})
                  .body,
              R"({"results":[]})");
}

TEST_F(ApiTest, ALargeBatchIsTakenAndOneTooLargeIsNot) {
    const auto batch = [](int count) {
        std::string body = R"({"commands":[)";
        for (int i = 0; i < count; ++i) {
            body += (i > 0 ? "," : "") +
                    (R"({"kind":"grant","account":"a)" + std::to_string(i % 100)) +
                    R"(","amount":1,"idempotency_key":"k)" + std::to_string(i) + R"("})";
        }
        return Ask{.method = "POST",
                   .path = "/v1/batch",
                   .body = body + "]}",
                   .key = {},
                   .more_headers = {}};
    };
    const RawResponse taken = send(batch(10'000));
    EXPECT_EQ(taken.status, 200);
    EXPECT_EQ(field(get("/v1/accounts/a7").body, "balance"), "100");
    const std::string before = state();
    const RawResponse refused = send(batch(10'001));
    EXPECT_EQ(refused.status, 413);
    EXPECT_EQ(field(refused.body, "code"), "payload_too_large");
    EXPECT_EQ(state(), before);
}

TEST_F(ApiTest, HealthPagesAndProblemsAnswer) {
    EXPECT_EQ(get("/livez").body, R"({"status":"alive"})");
    EXPECT_EQ(get("/readyz").body, R"({"status":"ready"})");
    const RawResponse start = get("/");
    EXPECT_EQ(start.header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_NE(start.body.find("/v1/accounts"), std::string::npos);
    EXPECT_EQ(field(get("/problems/owned").body, "status"), "409");
    EXPECT_EQ(get("/problems/none").status, 404);
    EXPECT_EQ(send({.method = "HEAD", .path = "/", .body = {}, .key = {}, .more_headers = {}})
                  .header("Content-Length"),
              std::to_string(start.body.size()));
}

TEST_F(ApiTest, ANumberAtTheEdgeIsKeptExactly) {
    EXPECT_EQ(post("/v1/accounts/a/grants", R"({"amount":9007199254740991})").status, 201);
    EXPECT_EQ(field(get("/v1/accounts/a").body, "balance"), "9007199254740991");
    const RawResponse over = post("/v1/accounts/a/grants", R"({"amount":1})");
    EXPECT_EQ(over.status, 422);
    EXPECT_EQ(field(over.body, "code"), "balance_out_of_range");
}

TEST_F(ApiTest, ManyClientsSpendFromOneAccountWithoutPassingItsFloor) {
    grant("hot", 100);
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 10; ++i) {
        clients.push_back(std::make_unique<RawClient>(api_->port()));
        clients.back()->send(text_of({.method = "POST",
                                      .path = "/v1/accounts/hot/spends",
                                      .body = R"({"amount":30})",
                                      .key = "s" + std::to_string(i),
                                      .more_headers = {}}));
    }
    int accepted = 0;
    for (const auto& client : clients) {
        accepted += client->receive().status == 201 ? 1 : 0;
    }
    EXPECT_EQ(accepted, 3);
    EXPECT_EQ(field(get("/v1/accounts/hot").body, "balance"), "10");
}

}  // namespace
}  // namespace passbook::http
