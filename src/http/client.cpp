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

/// A connection whose every step ends in time: only asynchronous ones know deadlines.
class Connection {
public:
    /// Replaces the one there was.
    ErrorCode open(const asio::ip::tcp::endpoint& peer);
    ErrorCode exchange(const Message& message, ClientResponse& response);
    [[nodiscard]] bool is_open() const noexcept {
        return stream_.has_value();
    }
    void close() {
        stream_.reset();
    }
    /// By when each step from now on must have ended.
    void set_end(std::chrono::steady_clock::time_point end) {
        end_ = end;
    }

private:
    ErrorCode wait_for(const std::function<void(ErrorCode&)>& begin);

    std::chrono::steady_clock::time_point end_;
    asio::io_context context_{1};
    std::optional<beast::tcp_stream> stream_;
    beast::flat_buffer buffer_;
};

ErrorCode Connection::wait_for(const std::function<void(ErrorCode&)>& begin) {
    ErrorCode error;
    stream_->expires_at(end_);
    begin(error);
    context_.restart();
    context_.run();
    return error;
}

ErrorCode Connection::open(const asio::ip::tcp::endpoint& peer) {
    stream_.emplace(context_);
    buffer_.clear();
    ErrorCode error = wait_for([&](ErrorCode& out) {
        stream_->async_connect(peer, [&out](const ErrorCode& met) { out = met; });
    });
    if (!error) {
        stream_->socket().set_option(asio::ip::tcp::no_delay(true), error);
    }
    return error;
}

ErrorCode Connection::exchange(const Message& message, ClientResponse& response) {
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

std::string reason_of(const ErrorCode& error) {
    return error == beast::error::timeout ? "timed out" : error.message();
}

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
    ErrorCode send(const Message& message, ClientResponse& response);

    ListenAddress address_;
    std::chrono::milliseconds deadline_{60'000};
    Connection connection_;
};

/// Connects where no connection was kept, and once more where the kept one was closed meanwhile.
ErrorCode Client::Impl::send(const Message& message, ClientResponse& response) {
    const asio::ip::tcp::endpoint peer(asio::ip::make_address(address_.host), address_.port);
    const auto restart = [&] {
        connection_.set_end(std::chrono::steady_clock::now() + deadline_);
    };
    restart();
    ErrorCode error;
    if (connection_.is_open()) {
        error = connection_.exchange(message, response);
        if (!error || error == beast::error::timeout) {
            return error;
        }
        restart();
    }
    error = connection_.open(peer);
    return error ? error : connection_.exchange(message, response);
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
    if (const ErrorCode error = send(message, response)) {
        connection_.close();
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

Result<std::vector<Peer>, std::string> find_peers(const std::string& host, std::uint16_t port) {
    asio::io_context context;
    asio::ip::tcp::resolver resolver(context);
    ErrorCode error;
    const auto found = resolver.resolve(host, std::to_string(port), error);
    std::vector<Peer> peers;
    for (const auto& entry : found) {
        const asio::ip::address address = entry.endpoint().address();
        peers.push_back({host, port, address.to_string(), address.is_loopback()});
    }
    if (peers.empty()) {
        return fail(fmt::format("{}: {}", host, error ? error.message() : "no address"));
    }
    return peers;
}

class SingleRequest::Impl {
public:
    Impl(Peer peer, std::chrono::milliseconds deadline)
        : peer_(std::move(peer)), deadline_(deadline) {}

    ErrorCode connect() {
        restart();
        return connection_.open({asio::ip::make_address(peer_.address), peer_.port});
    }

    ErrorCode send(const ClientRequest& request, ClientResponse& response) {
        Message message;
        message.version(11);
        message.method_string(request.method);
        message.target(request.target);
        const bool is_v6 = peer_.host.find(':') != std::string::npos;
        const std::string host = is_v6 ? '[' + peer_.host + ']' : peer_.host;
        message.set(beast::http::field::host, fmt::format("{}:{}", host, peer_.port));
        message.set(beast::http::field::connection, "close");
        for (const auto& [name, value] : request.headers) {
            message.insert(name, value);
        }
        message.body() = request.body;
        message.prepare_payload();
        restart();
        return connection_.exchange(message, response);
    }

private:
    void restart() {
        connection_.set_end(std::chrono::steady_clock::now() + deadline_);
    }

    Peer peer_;
    std::chrono::milliseconds deadline_;
    Connection connection_;
};

SingleRequest::SingleRequest(Peer peer, std::chrono::milliseconds deadline)
    : impl_(std::make_unique<Impl>(std::move(peer), deadline)) {}
SingleRequest::~SingleRequest() = default;
SingleRequest::SingleRequest(SingleRequest&&) noexcept = default;
SingleRequest& SingleRequest::operator=(SingleRequest&&) noexcept = default;

std::optional<std::string> SingleRequest::connect() {
    const ErrorCode error = impl_->connect();
    return error ? std::optional(reason_of(error)) : std::nullopt;
}

Result<ClientResponse, std::string> SingleRequest::send(const ClientRequest& request) {
    ClientResponse response;
    if (const ErrorCode error = impl_->send(request, response)) {
        return fail(reason_of(error));
    }
    return response;
}

}  // namespace passbook::http
