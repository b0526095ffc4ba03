// SPDX-License-Identifier: Apache-2.0
// Imports through a server, which shares its keys with every other way in. One batch is in flight
// at a time, because what the server had no room for must go again before anything behind it.
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "base/codes.h"
#include "cli/import_target.h"
#include "cli/subcommand.h"
#include "http/client.h"
#include "http/json_reader.h"
#include "http/json_writer.h"

namespace passbook::cli {
namespace {

constexpr std::size_t batch_rows_max = 2'000;
/// Leaves room below what the server takes for the row that comes last.
constexpr std::size_t batch_bytes_max = 6 * 1024 * 1024;
constexpr auto patience = std::chrono::seconds(30);

std::optional<http::Value> field(const http::Value& object, std::string_view name) {
    if (object.type() == http::JsonType::object) {
        for (const http::Value value : object.children()) {
            if (value.key() == name) {
                return value;
            }
        }
    }
    return std::nullopt;
}

std::int64_t number(const http::Value& object, std::string_view name) {
    const auto value = field(object, name);
    if (!value || value->type() != http::JsonType::number ||
        value->form() != http::NumberForm::whole) {
        throw CannotRun(fmt::format("the server's answer has no number {}", name));
    }
    return value->whole();
}

std::string text(const http::Value& object, std::string_view name) {
    const auto value = field(object, name);
    return value && value->type() == http::JsonType::string ? std::string(value->text()) : "";
}

http::Document parse(const std::string& body) {
    auto document = http::Document::parse(body);
    if (!document) {
        throw CannotRun("the server's answer is no JSON; is it a Passbook server?");
    }
    return std::move(*document);
}

/// Waits longer each time, until patience ends.
class Retry {
public:
    void wait(const std::string& reason) {
        if (std::chrono::steady_clock::now() - begun_ > patience) {
            throw CannotRun(fmt::format("{}; {}", reason, run_again));
        }
        std::this_thread::sleep_for(pause_);
        pause_ = std::min(pause_ * 2, std::chrono::milliseconds(1'000));
    }

private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::chrono::milliseconds pause_{20};
};

class ServerTarget final : public ImportTarget {
public:
    explicit ServerTarget(const std::string& url) : url_(url), client_(connected(url)) {}

    std::string describe() const override {
        return url_;
    }

    void open(const AccountId& account, const Opening& opening) override {
        std::string body;
        http::JsonWriter out(body);
        out.begin_object().name("if_absent").boolean(true);
        if (opening.asset) {
            out.name("asset").text(opening.asset->text());
        }
        if (opening.floor) {
            out.name("floor");
            if (*opening.floor) {
                out.number(**opening.floor);
            } else {
                out.null();
            }
        }
        out.end_object();
        const auto answer =
            exchange([&] { return client_.put("/v1/accounts/" + account.text(), body); });
        if (answer.status != 200 && answer.status != 201) {
            throw CannotRun(
                fmt::format("account {} cannot be opened: {}", account.text(), problem_of(answer)));
        }
    }

    void submit(ImportRow row) override {
        bytes_ += write(row);
        rows_.push_back({row.line, row.stated_balance, std::move(json_)});
        json_.clear();
        if (rows_.size() >= batch_rows_max || bytes_ >= batch_bytes_max) {
            send();
        }
    }

    void finish() override {
        send();
    }

    Amount balance(const AccountId& account) override {
        const auto answer = exchange([&] { return client_.get("/v1/accounts/" + account.text()); });
        if (answer.status == 404) {
            return 0;
        }
        if (answer.status != 200) {
            throw CannotRun(problem_of(answer));
        }
        const http::Document document = parse(answer.body);
        return number(document.root(), "balance");
    }

    ImportTally tally() const override {
        return tally_;
    }

private:
    struct Row {
        std::uint64_t line;
        std::optional<Amount> stated_balance;
        std::string json;
    };

    static http::Client connected(const std::string& url) {
        auto client = http::Client::to(url);
        if (!client) {
            throw CannotRun("--server: " + client.error());
        }
        return std::move(*client);
    }

    /// The row as a command of a batch, in `json_`; returns its size.
    std::size_t write(const ImportRow& row) {
        const ledger::Command& command = row.request.command;
        const auto* grant = std::get_if<ledger::Grant>(&command.action);
        const Amount amount =
            grant != nullptr ? grant->amount : std::get<ledger::Spend>(command.action).amount;
        http::JsonWriter out(json_);
        out.begin_object().name("kind").text(name_of(command.action));
        out.name("account").text(row.account.text()).name("amount").number(amount);
        if (row.asset) {
            out.name("asset").text(row.asset->text());
        }
        if (command.reason) {
            out.name("reason").text(*command.reason);
        }
        if (command.effective_at) {
            out.name("effective_at").text(to_text(*command.effective_at));
        }
        out.name("idempotency_key").text(command.key->text()).end_object();
        return json_.size();
    }

    void send() {
        Retry retry;
        while (!rows_.empty()) {
            std::string body = "{\"commands\":[";
            for (const Row& row : rows_) {
                body += body.back() == '[' ? "" : ",";
                body += row.json;
            }
            body += "]}";
            const auto answer = exchange([&] { return client_.post("/v1/batch", body); });
            if (answer.status != 200) {
                throw CannotRun(fmt::format("lines {} to {}: {}", rows_.front().line,
                                            rows_.back().line, problem_of(answer)));
            }
            const std::string failed = take_results(answer.body);
            if (!failed.empty()) {
                retry.wait(failed);
            }
        }
        bytes_ = 0;
    }

    /// Counts what was answered and keeps the rows that were not; returns why not.
    std::string take_results(const std::string& body) {
        const http::Document document = parse(body);
        const auto results = field(document.root(), "results");
        if (!results || results->type() != http::JsonType::array ||
            results->size() != rows_.size()) {
            throw CannotRun("the server's answer does not fit the batch");
        }
        std::vector<Row> left;
        std::string failed;
        std::size_t at = 0;
        for (const http::Value result : results->children()) {
            Row& row = rows_[at++];
            if (const std::string why = take_result(row, result); !why.empty()) {
                failed = why;
                left.push_back(std::move(row));
            }
        }
        rows_ = std::move(left);
        return failed;
    }

    /// Why the row must go again; empty where it was answered.
    std::string take_result(const Row& row, const http::Value& result) {
        const std::int64_t status = number(result, "status");
        const auto answer = field(result, "body");
        const auto replayed = field(result, "replayed");
        if (!answer || !replayed || replayed->type() != http::JsonType::boolean) {
            throw CannotRun("the server's answer does not fit the batch");
        }
        const std::string detail = text(*answer, "detail");
        if (status == 201) {
            count(tally_, row.stated_balance, {replayed->boolean(), number(*answer, "balance")});
        } else if (status == 409 || status == 422) {
            count(tally_, row.stated_balance, {replayed->boolean(), {}});
        } else if (status == 503) {
            return fmt::format("line {}: {}", row.line, detail);
        } else {
            throw CannotRun(fmt::format("line {}: {}; {}", row.line, detail, run_again));
        }
        return "";
    }

    /// Sends until there is an answer that is not "come back later".
    template <class Send>
    http::ClientResponse exchange(Send send_once) {
        Retry retry;
        for (;;) {
            auto answer = send_once();
            if (!answer) {
                retry.wait(answer.error());
            } else if (answer->status == 503) {
                retry.wait(problem_of(*answer));
            } else {
                return std::move(*answer);
            }
        }
    }

    static std::string problem_of(const http::ClientResponse& answer) {
        const auto document = http::Document::parse(answer.body);
        const std::string detail = document ? text(document->root(), "detail") : "";
        return detail.empty() ? fmt::format("the server answered with status {}", answer.status)
                              : detail;
    }

    std::string url_;
    http::Client client_;
    std::string json_;
    std::vector<Row> rows_;
    std::size_t bytes_ = 0;
    ImportTally tally_;
};

}  // namespace

std::unique_ptr<ImportTarget> import_through_server(const std::string& url) {
    return std::make_unique<ServerTarget>(url);
}

}  // namespace passbook::cli
