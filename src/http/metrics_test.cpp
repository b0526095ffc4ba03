// SPDX-License-Identifier: Apache-2.0
#include "http/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "http/api_harness.h"

namespace passbook::http {
namespace {

/// The lines that name and describe metrics, without their values.
std::string names_in(const std::string& metrics) {
    std::string names;
    std::istringstream lines(metrics);
    for (std::string line; std::getline(lines, line);) {
        if (line.front() == '#') {
            names += line + "\n";
        }
    }
    return names;
}

TEST_F(ApiTest, MetricsHaveTheNamesOfTheCommittedList) {
    std::ifstream file(PASSBOOK_SOURCE_DIR "/docs/metrics.txt");
    std::stringstream list;
    list << file.rdbuf();
    EXPECT_EQ(names_in(get("/metrics").body), list.str())
        << "a metric was added, renamed or removed: docs/metrics.txt must say so too";
}

TEST_F(ApiTest, MetricsCountWhatWasAnswered) {
    grant("alice", 10);
    EXPECT_EQ(post("/v1/accounts/alice/spends", R"({"amount":4})", "k").status, 201);
    EXPECT_EQ(post("/v1/accounts/alice/spends", R"({"amount":4})", "k").status, 201);
    EXPECT_EQ(post("/v1/accounts/alice/spends", R"({"amount":40})").status, 422);
    EXPECT_EQ(send({.method = "INVENTED",
                    .path = "/v1/accounts/alice",
                    .body = {},
                    .key = {},
                    .more_headers = {}})
                  .status,
              405);
    const RawResponse response = get("/metrics");
    EXPECT_EQ(response.header("Content-Type"), metrics_media_type);
    for (const char* line :
         {R"(passbook_http_requests_total{method="POST",route="/v1/accounts/{id}/spends",)"
          R"(status="201"} 2)",
          R"(passbook_http_requests_total{method="POST",route="/v1/accounts/{id}/spends",)"
          R"(status="422"} 1)",
          R"(passbook_http_requests_total{method="other",route="-",status="405"} 1)",
          R"(passbook_commands_total{kind="grant",outcome="accepted"} 1)",
          R"(passbook_commands_total{kind="spend",outcome="refused"} 1)",
          R"(passbook_http_request_seconds_count{route="/v1/accounts/{id}/spends"} 3)",
          "passbook_replays_total 1", "passbook_refusals_stored 1", "passbook_lane_depth 0"}) {
        EXPECT_NE(response.body.find("\n" + std::string(line)), std::string::npos) << line << "\n"
                                                                                   << response.body;
    }
    EXPECT_EQ(response.body.find("INVENTED"), std::string::npos);
}

}  // namespace
}  // namespace passbook::http
