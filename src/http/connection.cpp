// SPDX-License-Identifier: Apache-2.0
// One connection: reads a request, has it handled, writes the answer, and only then looks at the
// next. Nothing of a request reaches a handler before all of it has arrived. Where the end of a
// message is in doubt, or a body is left unread, the connection ends behind the answer.
#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <utility>

#include "http/loop.h"
#include "http/request_reader.h"

namespace passbook::http {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

// How long a client may take to read its last answer while what it still sends is thrown away:
// closing at once would reset the connection and could take the answer with it.
constexpr std::chrono::milliseconds linger_deadline{1'000};
constexpr std::size_t small_body_bytes = 64 * 1024;

class Connection final : public LoopMember,
                         public ResponseSink,
                         public std::enable_shared_from_this<Connection> {
public:
    Connection(std::shared_ptr<Loop> loop, int socket, bool ipv6, Welcome welcome)
        : loop_(std::move(loop)),
          socket_(loop_->context(), ipv6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), socket),
          welcome_(welcome) {}

    void begin() override;
    void tick(SteadyTime now) override;
    void drain() override;
    void cut() override {
        close();
    }
    void answer(Rendering rendering) override;
    void answered(Rendering rendering) override;

private:
    enum class Phase : std::uint8_t { reading, handling, writing, lingering, closed };
    enum class Waiting : std::uint8_t { none, first, idle, head, body };

    [[nodiscard]] const ServerOptions& options() const {
        return loop_->shared().options;
    }

    void read();
    void on_read(const ErrorCode& error, std::size_t bytes);
    void proceed();
    void wait_for(Waiting what);
    [[nodiscard]] bool admit();
    [[nodiscard]] bool reserve_large_body(const Admission& admission);
    void release_large_body();
    void invite_body();
    void dispatch();
    void respond(Response response, bool close);
    void render_head(const Response& response, bool close);
    void on_written(const ErrorCode& error);
    void linger();
    void discard();
    void close();

    std::shared_ptr<Loop> loop_;
    asio::ip::tcp::socket socket_;
    Welcome welcome_;
    RequestReader reader_;
    Phase phase_ = Phase::reading;
    Waiting waiting_ = Waiting::first;
    SteadyTime deadline_;
    SteadyTime began_;  // when the request was complete
    bool head_only_ = false;
    bool parsed_ = false;  // the head of the current request is understood
    bool close_after_ = false;
    bool large_body_ = false;  // counted in ServerShared::large_bodies
    std::string head_;
    std::string body_;
};

void Connection::begin() {
    if (welcome_ == Welcome::turn_away) {
        respond(problem_response({Code::busy, "the server has all the connections it takes", {}}),
                true);
        return;
    }
    if (loop_->draining()) {
        close();
        return;
    }
    deadline_ = std::chrono::steady_clock::now() + options().header_deadline;
    read();
}

void Connection::read() {
    const auto room = reader_.room();
    socket_.async_read_some(asio::buffer(room.data(), room.size()),
                            [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                                self->on_read(error, bytes);
                            });
}

void Connection::on_read(const ErrorCode& error, std::size_t bytes) {
    if (phase_ != Phase::reading) {
        return;  // the deadline came first
    }
    if (error) {
        close();  // a request that ends early is not a request
        return;
    }
    reader_.received(bytes);
    proceed();
}

void Connection::proceed() {
    phase_ = Phase::reading;
    for (;;) {
        switch (reader_.advance()) {
            case RequestReader::Progress::more:
                if (!parsed_) {
                    wait_for(reader_.idle() ? Waiting::idle : Waiting::head);
                }
                read();
                return;
            case RequestReader::Progress::head:
                parsed_ = true;
                if (!admit()) {
                    return;
                }
                wait_for(Waiting::body);
                if (reader_.expects_continue()) {
                    invite_body();
                    return;
                }
                break;
            case RequestReader::Progress::message:
                parsed_ = true;
                dispatch();
                return;
            case RequestReader::Progress::refused:
                began_ = std::chrono::steady_clock::now();
                respond(problem_response(reader_.problem()), true);
                return;
        }
    }
}

/// Sets the deadline of a stage when it is entered, so that no trickle of bytes can move it.
void Connection::wait_for(Waiting what) {
    const bool before_first_byte = waiting_ == Waiting::first && what == Waiting::idle;
    if (waiting_ == what || before_first_byte) {
        return;
    }
    waiting_ = what;
    const auto time = what == Waiting::idle   ? options().idle_deadline
                      : what == Waiting::head ? options().header_deadline
                                              : options().body_deadline;
    deadline_ = std::chrono::steady_clock::now() + time;
}

bool Connection::admit() {
    Admission admission = loop_->shared().hooks.admit(reader_.request());
    if (admission.refusal) {
        began_ = std::chrono::steady_clock::now();
        head_only_ = reader_.request().method == Method::head;
        respond(std::move(*admission.refusal), true);
        return false;
    }
    if (!reserve_large_body(admission)) {
        respond(problem_response({Code::busy, "too many large bodies are on their way", {}}), true);
        return false;
    }
    reader_.take_body(admission.body_bytes_max);
    return true;
}

/// Few requests may hold megabytes at once, however many connections there are.
bool Connection::reserve_large_body(const Admission& admission) {
    const auto length = reader_.body_length().value_or(admission.body_bytes_max);
    if (length <= small_body_bytes || length > admission.body_bytes_max) {
        return true;  // small, or about to be refused
    }
    auto& bodies = loop_->shared().large_bodies;
    if (++bodies > options().large_bodies_max) {
        --bodies;
        return false;
    }
    large_body_ = true;
    return true;
}

void Connection::release_large_body() {
    if (std::exchange(large_body_, false)) {
        --loop_->shared().large_bodies;
    }
}

void Connection::invite_body() {
    // A body over its limit is refused before the client is asked to send it.
    if (reader_.advance() != RequestReader::Progress::more) {
        proceed();
        return;
    }
    phase_ = Phase::writing;
    head_ = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(head_),
                      [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                          if (self->phase_ != Phase::writing) {
                              return;
                          }
                          if (error) {
                              self->close();
                              return;
                          }
                          self->phase_ = Phase::reading;
                          self->read();
                      });
}

void Connection::dispatch() {
    phase_ = Phase::handling;
    began_ = std::chrono::steady_clock::now();
    head_only_ = reader_.request().method == Method::head;
    if (loop_->draining()) {
        respond(problem_response({Code::unavailable, "the server is stopping", {}}), true);
        return;
    }
    loop_->shared().hooks.handle(reader_.request(), Responder(shared_from_this()));
}

void Connection::answer(Rendering rendering) {
    loop_->push(shared_from_this(), std::move(rendering));
}

void Connection::answered(Rendering rendering) {
    if (phase_ != Phase::handling) {
        return;  // cut while it was being handled
    }
    respond(rendering(), !reader_.keep_alive());
}

void Connection::respond(Response response, bool close) {
    phase_ = Phase::writing;
    const auto now = std::chrono::steady_clock::now();
    deadline_ = now + options().write_deadline;
    close_after_ = close || response.close || loop_->draining();
    if (welcome_ == Welcome::serve) {
        const std::string_view method = parsed_ ? reader_.request().method_name : "-";
        loop_->shared().hooks.answered({response.route, method, response.status, now - began_});
    }
    render_head(response, close_after_);
    body_ = std::move(response.body);
    std::array<asio::const_buffer, 2> parts{asio::buffer(head_), asio::buffer(body_)};
    if (head_only_) {
        parts[1] = asio::const_buffer();
    }
    asio::async_write(socket_, parts,
                      [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                          self->on_written(error);
                      });
}

void Connection::render_head(const Response& response, bool close) {
    head_.clear();
    fmt::format_to(std::back_inserter(head_),
                   "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                   "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n",
                   response.status, reason_phrase(response.status), loop_->date(),
                   response.media_type, response.body.size());
    for (const auto& [name, value] : response.headers) {
        head_.append(name).append(": ").append(value).append("\r\n");
    }
    if (close) {
        head_ += "Connection: close\r\n";
    } else if (reader_.http_1_0()) {
        head_ += "Connection: keep-alive\r\n";
    }
    head_ += "\r\n";
}

void Connection::on_written(const ErrorCode& error) {
    if (phase_ != Phase::writing) {
        return;
    }
    if (error) {
        close();
        return;
    }
    if (close_after_) {
        linger();
        return;
    }
    if (body_.capacity() > small_body_bytes) {
        body_ = std::string();
    }
    parsed_ = false;
    reader_.next();
    release_large_body();
    waiting_ = Waiting::none;
    if (loop_->draining() && reader_.idle()) {
        close();  // the answer was begun before the stop, which asked only idle connections to end
        return;
    }
    proceed();
}

void Connection::linger() {
    phase_ = Phase::lingering;
    deadline_ = std::chrono::steady_clock::now() + linger_deadline;
    ErrorCode error;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, error);
    if (error) {
        close();  // the client is gone already
        return;
    }
    discard();
}

void Connection::discard() {
    static thread_local std::array<char, 16 * 1024> nowhere;
    socket_.async_read_some(asio::buffer(nowhere),
                            [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                                if (self->phase_ != Phase::lingering) {
                                    return;
                                }
                                if (error) {
                                    self->close();
                                    return;
                                }
                                self->discard();
                            });
}

void Connection::tick(SteadyTime now) {
    if (phase_ == Phase::handling || phase_ == Phase::closed || now < deadline_) {
        return;
    }
    if (phase_ == Phase::reading && !reader_.idle()) {
        began_ = now;
        respond(problem_response(
                    {Code::request_timeout, "the request did not arrive whole in time", {}}),
                true);
        return;
    }
    close();
}

void Connection::drain() {
    if (phase_ == Phase::reading && reader_.idle()) {
        close();
    }
}

void Connection::close() {
    if (phase_ == Phase::closed) {
        return;
    }
    phase_ = Phase::closed;
    ErrorCode ignored;  // there is nobody left to tell, and close() frees the descriptor anyway
    socket_.close(ignored);
    release_large_body();
    auto& shared = loop_->shared();
    --(welcome_ == Welcome::serve ? shared.connections : shared.turned_away);
    loop_->remove(this);
}

}  // namespace

std::shared_ptr<LoopMember> make_connection(std::shared_ptr<Loop> loop, int socket, bool ipv6,
                                            Welcome welcome) {
    return std::make_shared<Connection>(std::move(loop), socket, ipv6, welcome);
}

}  // namespace passbook::http
