// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <functional>
#include <optional>

namespace passbook::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using ErrorCode = beast::error_code;
using Message = beast::http::request<beast::http::string_body>;

constexpr std::size_t answer_bytes_max = 64 * 1024 * 1024;

}  // namespace

class Client::Impl {
public:
    explicit Impl(ListenAddress address) : address_(std::move(address)) {}

    Result<ClientResponse, std::string> exchange(beast::http::verb verb, std::string_view target,
                                                 std::string body);
    void set_deadline(std::chrono::milliseconds deadline) {
        deadline_ = deadline;
    }

private:
    ErrorCode connect();
    ErrorCode send(const Message& message, ClientResponse& response);
    ErrorCode wait_for(const std::function<void(ErrorCode&)>& begin);

    ListenAddress address_;
    std::chrono::milliseconds deadline_{60'000};
    asio::io_context context_{1};
    std::optional<beast::tcp_stream> stream_;
    beast::flat_buffer buffer_;
};

/// Runs one asynchronous step to its end: only those know deadlines.
ErrorCode Client::Impl::wait_for(const std::function<void(ErrorCode&)>& begin) {
    ErrorCode error;
    stream_->expires_after(deadline_);
    begin(error);
    context_.restart();
    context_.run();
    return error;
}

ErrorCode Client::Impl::connect() {
    stream_.emplace(context_);
    buffer_.clear();
    const asio::ip::tcp::endpoint peer(asio::ip::make_address(address_.host), address_.port);
    ErrorCode error = wait_for([&](ErrorCode& out) {
        stream_->async_connect(peer, [&out](const ErrorCode& met) { out = met; });
    });
    if (!error) {
        stream_->socket().set_option(asio::ip::tcp::no_delay(true), error);
    }
    return error;
}

ErrorCode Client::Impl::send(const Message& message, ClientResponse& response) {
    ErrorCode error = wait_for([&](ErrorCode& out) {
        beast::http::async_write(*stream_, message,
                                 [&out](const ErrorCode& met, std::size_t) { out = met; });
    });
    if (error) {
        return error;
    }
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(answer_bytes_max);
    error = wait_for([&](ErrorCode& out) {
        beast::http::async_read(*stream_, buffer_, parser,
                                [&out](const ErrorCode& met, std::size_t) { out = met; });
    });
    if (error) {
        return error;
    }
    response.status = static_cast<int>(parser.get().result_int());
    response.body = std::move(parser.get().body());
    if (!parser.keep_alive()) {
        stream_.reset();
    }
    return {};
}

Result<ClientResponse, std::string> Client::Impl::exchange(beast::http::verb verb,
                                                           std::string_view target,
                                                           std::string body) {
    Message message(verb, beast::string_view(target.data(), target.size()), 11);
    message.set(beast::http::field::host, fmt::format("{}:{}", address_.host, address_.port));
    if (!body.empty()) {
        message.set(beast::http::field::content_type, "application/json");
    }
    message.body() = std::move(body);
    message.prepare_payload();

    ClientResponse response;
    const bool kept = stream_.has_value();
    ErrorCode error = kept ? send(message, response) : connect();
    const bool stale = kept && error && error != beast::error::timeout;
    if (stale) {
        error = connect();
    }
    if ((stale || !kept) && !error) {
        error = send(message, response);
    }
    if (error) {
        stream_.reset();
        return fail(fmt::format("no answer from the server at {}:{}: {}", address_.host,
                                address_.port, error.message()));
    }
    return response;
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Client, std::string> Client::to(std::string_view url) {
    constexpr std::string_view scheme = "http://";
    std::string_view rest = url;
    if (rest.substr(0, scheme.size()) == scheme) {
        rest.remove_prefix(scheme.size());
        if (!rest.empty() && rest.back() == '/') {
            rest.remove_suffix(1);
        }
        if (auto address = parse_listen_address(rest)) {
            return Client(std::make_unique<Impl>(std::move(*address)));
        }
    }
    return fail(
        fmt::format("{} is not the address of a server: write it as http://127.0.0.1:7070", url));
}

Result<ClientResponse, std::string> Client::get(std::string_view target) {
    return impl_->exchange(beast::http::verb::get, target, {});
}

Result<ClientResponse, std::string> Client::post(std::string_view target, std::string body) {
    return impl_->exchange(beast::http::verb::post, target, std::move(body));
}

Result<ClientResponse, std::string> Client::put(std::string_view target, std::string body) {
    return impl_->exchange(beast::http::verb::put, target, std::move(body));
}

void Client::set_deadline(std::chrono::milliseconds deadline) {
    impl_->set_deadline(deadline);
}

}  // namespace passbook::http
