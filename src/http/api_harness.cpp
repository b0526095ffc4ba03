// SPDX-License-Identifier: Apache-2.0
#include "http/api_harness.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "engine/locks.h"
#include "http/json_reader.h"

namespace passbook::http {
namespace {

constexpr Instant start{1'790'000'000'000'000};

std::filesystem::path new_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "passbook-http-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("cannot make a folder for the store under test");
    }
    return name;
}

std::string as_text(Value value) {
    switch (value.type()) {
        case JsonType::string:
        case JsonType::number:
            return std::string(value.text());
        case JsonType::boolean:
            return value.boolean() ? "true" : "false";
        case JsonType::null:
            return "null";
        case JsonType::array:
        case JsonType::object:
            return canonical(value, "").value();
    }
    return {};
}

}  // namespace

std::string field(const std::string& json, std::string_view name) {
    const auto document = Document::parse(json);
    if (!document) {
        return "(not JSON)";
    }
    for (const Value value : document->root().children()) {
        if (value.key() == name) {
            return as_text(value);
        }
    }
    return "(absent)";
}

std::string text_of(const Ask& ask) {
    std::string text = ask.method + " " + ask.path + " HTTP/1.1\r\nHost: a\r\n" + ask.more_headers;
    if (!ask.key.empty()) {
        text += "Idempotency-Key: " + ask.key + "\r\n";
    }
    if (!ask.body.empty()) {
        text += "Content-Length: " + std::to_string(ask.body.size()) + "\r\n";
        text += ask.media.empty() ? "" : "Content-Type: " + ask.media + "\r\n";
    }
    return text + "\r\n" + ask.body;
}

ApiTest::ApiTest() : clock_(start), folder_(new_folder()) {
    engine_ = std::make_unique<engine::Engine>(
        engine::Options{.store = "sqlite:" + (folder_ / "store.db").string(), .clock = &clock_});
    locks_ = engine::open_locks("store", "sqlite:" + (folder_ / "store.db").string());
    ServerOptions options;
    options.listen.port = 0;
    api_ = std::make_unique<Api>(*engine_, options, nullptr, locks_.get());
}

ApiTest::~ApiTest() {
    client_.reset();
    EXPECT_TRUE(api_->stop(std::chrono::seconds(5)));
    api_.reset();
    locks_.reset();
    engine_.reset();
    std::filesystem::remove_all(folder_);
}

RawResponse ApiTest::send(const Ask& ask) {
    if (client_ == nullptr) {
        client_ = std::make_unique<RawClient>(api_->port());
    }
    client_->send(text_of(ask));
    RawResponse response = client_->receive(ask.method == "HEAD");
    if (response.status == 0 || response.has_line("Connection: close")) {
        client_.reset();
    }
    return response;
}

RawResponse ApiTest::post(const std::string& path, const std::string& body,
                          const std::string& key) {
    return send({.method = "POST", .path = path, .body = body, .key = key, .more_headers = {}});
}

RawResponse ApiTest::post(const std::string& path, const std::string& body) {
    return post(path, body, "key-" + std::to_string(++keys_));
}

RawResponse ApiTest::put(const std::string& path, const std::string& body) {
    return send({.method = "PUT", .path = path, .body = body, .key = {}, .more_headers = {}});
}

RawResponse ApiTest::get(const std::string& path) {
    return send({.method = "GET", .path = path, .body = {}, .key = {}, .more_headers = {}});
}

void ApiTest::grant(const std::string& account, int amount) {
    const RawResponse response =
        post("/v1/accounts/" + account + "/grants", "{\"amount\":" + std::to_string(amount) + "}");
    ASSERT_EQ(response.status, 201) << response.body;
}

std::string ApiTest::state() {
    const std::string accounts = get("/v1/accounts?limit=1000").body;
    std::string all = accounts + get("/v1/assets").body;
    const auto document = Document::parse(accounts);
    for (const Value list : document->root().children()) {
        if (list.key() != "data") {
            continue;
        }
        for (const Value account : list.children()) {
            const Value id = *account.children().begin();
            all += get("/v1/accounts/" + std::string(id.text()) + "/entries?limit=1000").body;
        }
    }
    return all;
}

bool ApiTest::still_serves() {
    RawClient other(api_->port());
    other.send(
        text_of({.method = "GET", .path = "/livez", .body = {}, .key = {}, .more_headers = {}}));
    return other.receive().status == 200;
}

}  // namespace passbook::http
