// SPDX-License-Identifier: Apache-2.0
#include "lab/passbook_server.h"

#include <fmt/format.h>
#include <charconv>
#include <stdexcept>

#include "http/client.h"
#include "http/json_reader.h"
#include "http/json_writer.h"

namespace passbook::lab {
namespace {

constexpr std::chrono::seconds patience{30};

http::Client client_to(const std::string& url) {
    auto client = http::Client::to(url);
    if (!client) {
        throw std::runtime_error(client.error());
    }
    client->set_deadline(patience);
    return std::move(*client);
}

/// The value of a field of an object; nothing where it has none.
std::optional<http::Value> field(const http::Value& object, std::string_view name) {
    for (const http::Value value : object.children()) {
        if (value.key() == name) {
            return value;
        }
    }
    return std::nullopt;
}

std::string get(const std::string& url, const std::string& target) {
    http::Client client = client_to(url);
    auto answer = client.get(target);
    if (!answer || answer->status != 200) {
        throw std::runtime_error(
            fmt::format("GET {}: {}", target, answer ? answer->body : answer.error()));
    }
    return answer->body;
}

http::Document document_of(const std::string& text) {
    auto document = http::Document::parse(text);
    if (!document) {
        throw std::runtime_error(fmt::format("no JSON: {}", text));
    }
    return std::move(*document);
}

std::string code_in(const std::string& body) {
    const http::Document document = document_of(body);
    const auto code = field(document.root(), "code");
    return code ? std::string(code->text()) : "";
}

}  // namespace

PassbookServer::PassbookServer(const std::string& store, const std::string& lock)
    // Not as arguments, which everybody on the machine can read: a URL may hold a password.
    : child_({.arguments = {"serve", "--listen", "127.0.0.1:0", "--log-level", "error"},
              .environment = {"PASSBOOK_STORE=" + store, "PASSBOOK_LOCK=" + lock}}) {
    const std::string line = child_.line(patience).value_or("nothing");
    constexpr std::string_view before = "passbook: listening on http://127.0.0.1:";
    if (!line.starts_with(before)) {
        throw std::runtime_error(fmt::format("passbook serve does not serve: {}", line));
    }
    std::from_chars(line.data() + before.size(), line.data() + line.size(), port_);
}

std::string PassbookServer::url() const {
    return fmt::format("http://127.0.0.1:{}", port_);
}

Told move_over_http(const std::string& url, const std::string& account, std::int64_t amount,
                    const std::string& key) {
    std::string body;
    http::JsonWriter json(body);
    json.begin_object().name("commands").begin_array().begin_object();
    json.name("kind").text(amount > 0 ? "grant" : "spend").name("account").text(account);
    json.name("amount").number(amount > 0 ? amount : -amount).name("idempotency_key").text(key);
    json.end_object().end_array().end_object();
    const Told whole = post_over_http(url, "/v1/batch", body);
    if (whole.status != 200) {
        return whole;
    }
    const http::Document document = document_of(whole.body);
    const auto results = field(document.root(), "results");
    const http::Value result = *results->children().begin();
    Told told{.status = static_cast<int>(field(result, "status")->whole()),
              .replayed = field(result, "replayed")->boolean()};
    const auto answer = field(result, "body");
    if (const auto code = field(*answer, "code")) {
        told.code = code->text();
    }
    told.body = http::canonical(*answer, "").value_or("");
    return told;
}

Told post_over_http(const std::string& url, const std::string& path, const std::string& body) {
    http::Client client = client_to(url);
    auto answer = client.post(path, body);
    if (!answer) {
        return {.body = answer.error()};
    }
    return {.status = answer->status,
            .code = answer->status >= 400 ? code_in(answer->body) : "",
            .body = answer->body};
}

std::int64_t balance_over_http(const std::string& url, const std::string& account) {
    const std::string body = get(url, "/v1/accounts/" + account);
    const http::Document document = document_of(body);
    return field(document.root(), "balance")->whole();
}

std::int64_t metric_over_http(const std::string& url, const std::string& name) {
    return metric_in(get(url, "/metrics"), name);
}

std::int64_t metric_in(const std::string& metrics, const std::string& name) {
    const auto at = metrics.find("\n" + name + " ");
    if (at == std::string::npos) {
        throw std::runtime_error(fmt::format("no metric {}", name));
    }
    return std::stoll(metrics.substr(at + name.size() + 2));
}

}  // namespace passbook::lab
