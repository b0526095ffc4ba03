// SPDX-License-Identifier: Apache-2.0
// A whole server on a store of its own, for tests that talk to it over a socket.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/engine.h"
#include "http/api.h"
#include "http/raw_client.h"
#include "lock/lock.h"

namespace passbook::http {

/// One request as tests write it.
struct Ask {
    std::string method;
    std::string path;
    std::string body;
    std::string key;           ///< Sent as Idempotency-Key unless empty.
    std::string more_headers;  ///< Whole lines.
    std::string media = "application/json";
};

[[nodiscard]] std::string text_of(const Ask& ask);

class ApiTest : public testing::Test {
public:
    ~ApiTest() override;

protected:
    ApiTest();

    RawResponse send(const Ask& ask);
    /// A POST with a key that no other request has.
    RawResponse post(const std::string& path, const std::string& body);
    RawResponse post(const std::string& path, const std::string& body, const std::string& key);
    RawResponse put(const std::string& path, const std::string& body);
    RawResponse get(const std::string& path);

    void grant(const std::string& account, int amount);

    /// All that a client can see of the accounts and their entries.
    std::string state();

    /// Whether a good request on a new connection is answered.
    bool still_serves();

    ManualClock clock_;
    std::filesystem::path folder_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<lock::Locks> locks_;
    std::unique_ptr<Api> api_;

private:
    std::unique_ptr<RawClient> client_;
    int keys_ = 0;
};

/// The value of a string, number, boolean or null field at the top of an object, as its JSON text
/// says it; "(absent)" where there is none.
[[nodiscard]] std::string field(const std::string& json, std::string_view name);

}  // namespace passbook::http
