// SPDX-License-Identifier: Apache-2.0
/// The client that loads a server on loopback: one thread, one request in flight per connection,
/// requests rendered beforehand and stamped in place, so that on a machine shared with the server
/// it takes as little of it as it can. Every answer must be the good one, or the run fails.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "bench/workload.h"

namespace passbook::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::uint16_t port = 0;
    Work work = Work::spend;
    std::uint64_t accounts = 1;
    std::uint64_t batch = 0;  ///< Commands per POST /v1/batch; 0: one POST per command.
    std::uint64_t first = 0;  ///< Number of the first command; its key is made of it.
    std::uint64_t count_max = 100'000'000;
    double seconds_max = 1;
    std::size_t connections = 1;
    double rate = 0;  ///< Requests per second, sent whether or not answers come; 0: as they come.
};

/// How long the server may stay silent before the run is given up.
constexpr int silence_ms_max = 30'000;

/// One request as bytes, and where the account and the key of each command stand in it.
class Request {
public:
    explicit Request(const Options& options) : options_(options) {
        const std::string_view kind = options.work == Work::grant ? "grant" : "spend";
        if (options.batch == 0) {
            render_single(kind);
        } else {
            render_batch(kind);
        }
    }

    [[nodiscard]] std::uint64_t commands() const noexcept {
        return places_.size();
    }
    [[nodiscard]] const std::string& text() const noexcept {
        return text_;
    }

    void stamp_from(std::uint64_t first) noexcept {
        const std::span<char> text(text_);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const std::uint64_t n = first + i;
            stamp(text.subspan(places_[i].account, account_digits),
                  account_of(options_.work, n, options_.accounts));
            stamp(text.subspan(places_[i].key, key_digits), n);
        }
    }

private:
    struct Place {
        std::size_t account;
        std::size_t key;
    };

    void render_single(std::string_view kind) {
        const std::string body = fmt::format("{{\"amount\":{}}}", amount_of(options_.work));
        text_ = "POST /v1/accounts/";
        const std::size_t account = add_blank(blank_account(), account_digits);
        text_ += fmt::format("/{}s HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: ", kind);
        const std::size_t key = add_blank(blank_key(options_.work), key_digits);
        text_ += fmt::format("\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                             body.size(), body);
        places_.push_back({account, key});
    }

    void render_batch(std::string_view kind) {
        text_ = "{\"commands\":[";
        for (std::uint64_t i = 0; i < options_.batch; ++i) {
            text_ += fmt::format("{}{{\"kind\":\"{}\",\"account\":\"", i == 0 ? "" : ",", kind);
            const std::size_t account = add_blank(blank_account(), account_digits);
            text_ +=
                fmt::format("\",\"amount\":{},\"idempotency_key\":\"", amount_of(options_.work));
            const std::size_t key = add_blank(blank_key(options_.work), key_digits);
            text_ += "\"}";
            places_.push_back({account, key});
        }
        text_ += "]}";
        const std::string head = fmt::format(
            "POST /v1/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            "Content-Length: {}\r\n\r\n",
            text_.size());
        text_.insert(0, head);
        for (Place& place : places_) {
            place.account += head.size();
            place.key += head.size();
        }
    }

    /// Where the digits at the end of `blank` begin.
    std::size_t add_blank(const std::string& blank, std::size_t digits) {
        text_ += blank;
        return text_.size() - digits;
    }

    const Options& options_;
    std::string text_;
    std::vector<Place> places_;
};

/// Gathers the bytes of one answer until it is whole.
class Answer {
public:
    void clear() noexcept {
        bytes_.clear();
        end_ = 0;
        head_ = 0;
    }

    /// Whether the answer is whole now.
    bool add(std::string_view bytes) {
        bytes_ += bytes;
        if (head_ == 0) {
            read_head();
        }
        return head_ != 0 && bytes_.size() >= end_;
    }

    [[nodiscard]] std::string_view text() const noexcept {
        return bytes_;
    }
    [[nodiscard]] std::string_view status() const {
        return text().substr(9, 3);
    }
    [[nodiscard]] std::string_view body() const {
        return text().substr(head_);
    }

private:
    void read_head() {
        const std::size_t blank_line = bytes_.find("\r\n\r\n");
        if (blank_line == std::string::npos) {
            return;
        }
        constexpr std::string_view name = "\r\ncontent-length:";
        const auto same = [](char a, char b) {
            return (a | 0x20) == (b | 0x20);
        };
        const auto found =
            std::search(bytes_.begin(), bytes_.end(), name.begin(), name.end(), same);
        if (found == bytes_.end() || bytes_.size() < 12) {
            throw std::runtime_error("an answer without Content-Length: " + bytes_);
        }
        const char* digits = &*found + name.size();
        while (*digits == ' ') {
            ++digits;
        }
        std::size_t size = 0;
        std::from_chars(digits, bytes_.data() + blank_line, size);
        head_ = blank_line + 4;
        end_ = head_ + size;
    }

    std::string bytes_;
    std::size_t head_ = 0;  ///< Where the body begins; 0 while that is unknown.
    std::size_t end_ = 0;
};

std::size_t count_of(std::string_view needle, std::string_view hay) noexcept {
    std::size_t count = 0;
    const char* at = hay.data();
    const char* const end = hay.data() + hay.size();
    while (const void* found =
               memmem(at, static_cast<std::size_t>(end - at), needle.data(), needle.size())) {
        ++count;
        at = static_cast<const char*>(found) + needle.size();
    }
    return count;
}

[[noreturn]] void fail_with_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class Connection {
public:
    Connection(const Options& options, int poll) : poll_(poll), request_(options) {
        socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (socket_ < 0) {
            fail_with_errno("socket");
        }
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(options.port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            fail_with_errno("connect to 127.0.0.1");
        }
        const int on = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::fcntl(socket_, F_SETFL, O_NONBLOCK) != 0) {
            fail_with_errno("fcntl");
        }
        watch(EPOLL_CTL_ADD, EPOLLIN);
    }
    ~Connection() {
        ::close(socket_);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] std::uint64_t commands() const noexcept {
        return request_.commands();
    }
    [[nodiscard]] Clock::time_point sent_at() const noexcept {
        return sent_at_;
    }
    [[nodiscard]] const Answer& answer() const noexcept {
        return answer_;
    }

    /// `due`: when it should have been sent, from which its latency counts.
    void send(std::uint64_t first, Clock::time_point due) {
        request_.stamp_from(first);
        answer_.clear();
        sent_ = 0;
        sent_at_ = due;
        send_on();
    }

    /// What `epoll_wait` said of this connection. True once the answer is whole.
    [[nodiscard]] bool ready(std::uint32_t events, std::span<char> buffer) {
        if ((events & EPOLLOUT) != 0) {
            send_on();
        }
        if ((events & ~std::uint32_t{EPOLLOUT}) == 0) {
            return false;
        }
        const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
        if (size < 0 && errno == EAGAIN) {
            return false;
        }
        if (size < 0) {
            fail_with_errno("recv");
        }
        if (size == 0) {
            throw std::runtime_error("the server closed a connection");
        }
        return answer_.add({buffer.data(), static_cast<std::size_t>(size)});
    }

private:
    void send_on() {
        const std::string& text = request_.text();
        while (sent_ < text.size()) {
            const ssize_t size =
                ::send(socket_, text.data() + sent_, text.size() - sent_, MSG_NOSIGNAL);
            if (size < 0 && errno == EAGAIN) {
                break;
            }
            if (size < 0) {
                fail_with_errno("send");
            }
            sent_ += static_cast<std::size_t>(size);
        }
        const bool is_waiting = sent_ < text.size();
        if (is_waiting != waits_to_send_) {
            waits_to_send_ = is_waiting;
            watch(EPOLL_CTL_MOD, is_waiting ? EPOLLIN | EPOLLOUT : EPOLLIN);
        }
    }

    void watch(int operation, std::uint32_t events) {
        epoll_event event{};
        event.events = events;
        event.data.ptr = this;
        if (::epoll_ctl(poll_, operation, socket_, &event) != 0) {
            fail_with_errno("epoll_ctl");
        }
    }

    const int poll_;
    int socket_ = -1;
    Request request_;
    std::size_t sent_ = 0;
    bool waits_to_send_ = false;
    Clock::time_point sent_at_;
    Answer answer_;
};

class Run {
public:
    explicit Run(const Options& options)
        : options_(options), poll_(::epoll_create1(EPOLL_CLOEXEC)) {
        if (poll_ < 0) {
            fail_with_errno("epoll_create1");
        }
        for (std::size_t i = 0; i < options.connections; ++i) {
            connections_.push_back(std::make_unique<Connection>(options, poll_));
        }
    }
    ~Run() {
        ::close(poll_);
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void measure() {
        start_ = Clock::now();
        deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(options_.seconds_max));
        for (const auto& connection : connections_) {
            idle_.push_back(connection.get());
        }
        send_what_is_due();
        std::vector<epoll_event> events(connections_.size());
        std::vector<char> buffer(std::size_t{1} << 20U);
        while (in_flight_ > 0 || !is_over(Clock::now())) {
            const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()),
                                           milliseconds_to_wait());
            if (ready < 0 && errno == EINTR) {
                continue;
            }
            if (ready < 0) {
                fail_with_errno("epoll_wait");
            }
            if (ready == 0 && Clock::now() - heard_ > std::chrono::milliseconds(silence_ms_max)) {
                throw std::runtime_error("the server stays silent");
            }
            for (const epoll_event& event : std::span(events).first(std::size_t(ready))) {
                auto& connection = *static_cast<Connection*>(event.data.ptr);
                if (connection.ready(event.events, buffer)) {
                    take_answer(connection);
                }
            }
            send_what_is_due();
        }
        end_ = Clock::now();
    }

    void print() {
        std::sort(latencies_us_.begin(), latencies_us_.end());
        const double seconds = std::chrono::duration<double>(end_ - start_).count();
        fmt::print(
            "{{\"commands\":{},\"requests\":{},\"seconds\":{:.6f},\"per_second\":{:.1f},"
            "\"p50_ms\":{:.3f},\"p99_ms\":{:.3f},\"max_ms\":{:.3f}}}\n",
            answered_, latencies_us_.size(), seconds, static_cast<double>(answered_) / seconds,
            latency_ms(0.5), latency_ms(0.99), latency_ms(1));
    }

private:
    [[nodiscard]] bool is_over(Clock::time_point now) const {
        return now >= deadline_ || issued_ + connections_.front()->commands() > options_.count_max;
    }

    /// Without a rate a request is due as soon as a connection is idle.
    [[nodiscard]] Clock::time_point due(Clock::time_point now) const {
        if (options_.rate == 0) {
            return now;
        }
        const std::chrono::duration<double> passed(static_cast<double>(requests_) / options_.rate);
        return start_ + std::chrono::duration_cast<Clock::duration>(passed);
    }

    [[nodiscard]] int milliseconds_to_wait() const {
        return options_.rate == 0 || idle_.empty() ? silence_ms_max : 1;
    }

    void send_what_is_due() {
        const auto now = Clock::now();
        while (!idle_.empty() && !is_over(now) && due(now) <= now) {
            Connection& connection = *idle_.back();
            idle_.pop_back();
            connection.send(options_.first + issued_, due(now));
            issued_ += connection.commands();
            ++requests_;
            ++in_flight_;
        }
    }

    void take_answer(Connection& connection) {
        const auto passed = Clock::now() - connection.sent_at();
        latencies_us_.push_back(static_cast<std::uint32_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(passed).count()));
        check(connection);
        --in_flight_;
        answered_ += connection.commands();
        heard_ = Clock::now();
        idle_.push_back(&connection);
    }

    void check(const Connection& connection) const {
        const Answer& answer = connection.answer();
        const bool is_good = options_.batch == 0 ? answer.status() == "201"
                                                 : answer.status() == "200" &&
                                                       count_of("\"status\":201", answer.body()) ==
                                                           connection.commands();
        if (is_good) {
            return;
        }
        constexpr std::size_t shown_max = 2'000;
        throw std::runtime_error("not the good answer: " +
                                 std::string(answer.text().substr(0, shown_max)));
    }

    [[nodiscard]] double latency_ms(double part) const {
        if (latencies_us_.empty()) {
            return 0;
        }
        const double place = part * static_cast<double>(latencies_us_.size() - 1);
        return latencies_us_[static_cast<std::size_t>(place)] / 1000.0;
    }

    const Options& options_;
    const int poll_;
    std::vector<std::unique_ptr<Connection>> connections_;
    Clock::time_point start_;
    Clock::time_point deadline_;
    Clock::time_point end_;
    Clock::time_point heard_ = Clock::now();
    std::vector<Connection*> idle_;
    std::uint64_t issued_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t answered_ = 0;
    std::size_t in_flight_ = 0;
    std::vector<std::uint32_t> latencies_us_;
};

int run(int argc, char** argv) {
    Options options;
    std::string work = "spend";
    CLI::App app{"Loads a passbook server on loopback and prints what it answered as JSON"};
    app.add_option("--port", options.port)->required();
    app.add_option("--work", work)->check(CLI::IsMember({"grant", "spend"}));
    app.add_option("--accounts", options.accounts)->check(CLI::Range(1, 10'000'000));
    app.add_option("--batch", options.batch, "Commands per POST /v1/batch; 0: one POST each")
        ->check(CLI::Range(0, 10'000));
    app.add_option("--first", options.first, "Number of the first command: no key comes twice");
    app.add_option("--count", options.count_max)->check(CLI::Range(1, 100'000'000));
    app.add_option("--seconds", options.seconds_max)->check(CLI::Range(0.01, 600.0));
    app.add_option("--rate", options.rate, "Requests per second; 0: as fast as answers come")
        ->check(CLI::Range(0.0, 1'000'000.0));
    app.add_option("--connections", options.connections)->check(CLI::Range(1, 1'000));
    CLI11_PARSE(app, argc, argv);
    options.work = work == "grant" ? Work::grant : Work::spend;
    try {
        Run measured(options);
        measured.measure();
        measured.print();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "load: {}\n", error.what());
        return 2;
    }
}

}  // namespace
}  // namespace passbook::bench

int main(int argc, char** argv) {
    return passbook::bench::run(argc, argv);
}
