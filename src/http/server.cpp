// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <charconv>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/wakes.h"
#include "http/loop.h"

namespace passbook::http {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

constexpr std::size_t turned_away_max = 64;
constexpr int accepts_per_wake = 64;
constexpr std::chrono::milliseconds accept_pause{100};

/// Often enough that a deadline is at most a tenth late.
std::chrono::milliseconds tick_of(const ServerOptions& options) {
    const auto shortest = std::min({options.header_deadline, options.body_deadline,
                                    options.idle_deadline, options.write_deadline});
    return std::clamp(shortest / 10, std::chrono::milliseconds(5), std::chrono::milliseconds(250));
}

std::string http_date(std::time_t second) {
    constexpr std::array<const char*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm t{};
    gmtime_r(&second, &t);
    return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", days.at(std::size_t(t.tm_wday)),
                       t.tm_mday, months.at(std::size_t(t.tm_mon)), t.tm_year + 1900, t.tm_hour,
                       t.tm_min, t.tm_sec);
}

}  // namespace

bool ListenAddress::is_loopback() const {
    ErrorCode error;
    const auto address = asio::ip::make_address(host, error);
    return !error && address.is_loopback();
}

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    ListenAddress address;
    const char* begin = digits.data();
    const char* end = begin + digits.size();
    const auto [last, error] = std::from_chars(begin, end, address.port);
    if (error != std::errc() || last != end) {
        return std::nullopt;
    }
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) {
        host = host.substr(1, host.size() - 2);
    }
    address.host = host == "localhost" ? "127.0.0.1" : std::string(host);
    ErrorCode bad;
    const auto parsed = asio::ip::make_address(address.host, bad);
    if (bad || parsed.is_v6() != bracketed) {
        return std::nullopt;
    }
    return address;
}

Loop::Loop(std::shared_ptr<ServerShared> shared)
    : context_(std::make_unique<asio::io_context>(1)), shared_(std::move(shared)) {}

Loop::~Loop() = default;

void Loop::push(std::shared_ptr<LoopMember> member, Rendering rendering) {
    const std::scoped_lock lock(mutex_);
    if (halted_) {
        return;
    }
    waiting_.push_back({member, std::move(rendering)});
    if (waiting_.size() == 1) {
        // One wake-up for all that gather meanwhile. The member keeps this loop alive.
        Wakes::at_end(
            [this, member = std::move(member)] { asio::post(*context_, [this] { deliver(); }); });
    }
}

void Loop::deliver() {
    std::vector<Completion> batch;
    {
        const std::scoped_lock lock(mutex_);
        batch.swap(waiting_);
        waiting_.reserve(batch.size());
    }
    for (Completion& completion : batch) {
        completion.member->answered(std::move(completion.rendering));
    }
}

void Loop::halt() {
    std::vector<Completion> dropped;
    const std::scoped_lock lock(mutex_);
    halted_ = true;
    dropped.swap(waiting_);
}

void Loop::add(const std::shared_ptr<LoopMember>& member) {
    members_.emplace(member.get(), member);
}

void Loop::remove(LoopMember* member) noexcept {
    members_.erase(member);
}

std::vector<std::shared_ptr<LoopMember>> Loop::members() const {
    std::vector<std::shared_ptr<LoopMember>> all;
    all.reserve(members_.size());
    for (const auto& [key, member] : members_) {
        all.push_back(member);
    }
    return all;
}

void Loop::tick(SteadyTime now) {
    for (const auto& member : members()) {
        member->tick(now);
    }
}

void Loop::drain() {
    draining_ = true;
    for (const auto& member : members()) {
        member->drain();
    }
}

void Loop::cut() {
    for (const auto& member : members()) {
        member->cut();
    }
}

const std::string& Loop::date() {
    const std::time_t now = std::time(nullptr);
    if (now != date_second_) {
        date_second_ = now;
        date_ = http_date(now);
    }
    return date_;
}

/// A loop with its thread. The thread ends when stop() lets it and no socket is left open.
struct Worker {
    explicit Worker(const std::shared_ptr<ServerShared>& shared)
        : loop(std::make_shared<Loop>(shared)),
          work(loop->context().get_executor()),
          timer(loop->context()),
          tick(tick_of(shared->options)) {}

    void start(std::size_t number);
    void arm();
    void stop();

    std::shared_ptr<Loop> loop;
    asio::executor_work_guard<asio::io_context::executor_type> work;
    asio::steady_timer timer;
    std::chrono::milliseconds tick;
    bool stopped = false;  // on the loop's own thread
    std::thread thread;
};

void Worker::start(std::size_t number) {
    arm();
    thread = std::thread([this, number] {
        pthread_setname_np(pthread_self(), fmt::format("http-{}", number).c_str());
        loop->context().run();
    });
}

void Worker::arm() {
    timer.expires_after(tick);
    timer.async_wait([this](const ErrorCode& error) {
        if (error || stopped) {
            return;  // a tick that was due when stop() came is no longer cancelled
        }
        loop->tick(std::chrono::steady_clock::now());
        arm();
    });
}

void Worker::stop() {
    stopped = true;
    loop->halt();
    loop->cut();
    timer.cancel();
    work.reset();
}

class Server::Impl {
public:
    Impl(const ServerOptions& options, ServerHooks hooks);

    [[nodiscard]] std::uint16_t port() const {
        return port_;
    }
    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::size_t connections() const {
        return shared_->connections;
    }
    bool stop(std::chrono::milliseconds grace);

private:
    void listen();
    void await_clients();
    void accept_clients();
    void welcome(int socket);

    std::shared_ptr<ServerShared> shared_;
    std::vector<std::unique_ptr<Worker>> workers_;
    asio::ip::tcp::acceptor acceptor_;
    asio::steady_timer pause_;
    std::uint16_t port_ = 0;
    bool ipv6_ = false;
    std::size_t next_ = 0;
    bool stopped_ = false;
};

namespace {

std::vector<std::unique_ptr<Worker>> make_workers(const std::shared_ptr<ServerShared>& shared) {
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::size_t i = 0; i < std::max<std::size_t>(shared->options.threads, 1); ++i) {
        workers.push_back(std::make_unique<Worker>(shared));
    }
    return workers;
}

}  // namespace

Server::Impl::Impl(const ServerOptions& options, ServerHooks hooks)
    : shared_(std::make_shared<ServerShared>()),
      workers_(
          (shared_->options = options, shared_->hooks = std::move(hooks), make_workers(shared_))),
      acceptor_(workers_.front()->loop->context()),
      pause_(workers_.front()->loop->context()) {
    listen();
    await_clients();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        workers_[i]->start(i);
    }
}

void Server::Impl::listen() {
    const ListenAddress& address = shared_->options.listen;
    const auto give_up = [&](const std::string& why) {
        throw std::runtime_error(
            fmt::format("cannot listen on {}:{}: {}", address.host, address.port, why));
    };
    ErrorCode error;
    const asio::ip::tcp::endpoint wanted(asio::ip::make_address(address.host, error), address.port);
    if (error) {
        give_up("this is no IP address");
    }
    if (!address.is_loopback()) {
        give_up("only loopback is served until API keys exist; take 127.0.0.1 or [::1]");
    }
    acceptor_.open(wanted.protocol(), error);
    if (!error) {
        acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    }
    if (!error) {
        acceptor_.bind(wanted, error);
    }
    if (!error) {
        acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (!error) {
        acceptor_.non_blocking(true, error);
    }
    const auto bound = error ? asio::ip::tcp::endpoint() : acceptor_.local_endpoint(error);
    if (error) {
        give_up(error.message());
    }
    port_ = bound.port();
    ipv6_ = bound.address().is_v6();
}

std::string Server::Impl::url() const {
    const std::string& host = shared_->options.listen.host;
    return ipv6_ ? fmt::format("http://[{}]:{}", host, port_)
                 : fmt::format("http://{}:{}", host, port_);
}

void Server::Impl::await_clients() {
    acceptor_.async_wait(asio::socket_base::wait_read, [this](const ErrorCode& error) {
        if (!error) {
            accept_clients();
        }
    });
}

void Server::Impl::accept_clients() {
    for (int i = 0; i < accepts_per_wake; ++i) {
        const int socket =
            ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket >= 0) {
            welcome(socket);
            continue;
        }
        if (errno == EAGAIN) {
            break;
        }
        const bool exhausted =
            errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        if (exhausted) {  // trying again at once would only burn the processor
            pause_.expires_after(accept_pause);
            pause_.async_wait([this](const ErrorCode& error) {
                if (!error) {
                    await_clients();
                }
            });
            return;
        }
        // Any other error belongs to the one connection that was lost before it was taken.
    }
    await_clients();
}

void Server::Impl::welcome(int socket) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Welcome welcome = Welcome::serve;
    if (++shared_->connections > shared_->options.connections_max) {
        --shared_->connections;
        if (++shared_->turned_away > turned_away_max) {
            --shared_->turned_away;
            ::close(socket);
            return;
        }
        welcome = Welcome::turn_away;
    }
    const std::shared_ptr<Loop>& loop = workers_[next_++ % workers_.size()]->loop;
    asio::post(loop->context(), [loop, socket, ipv6 = ipv6_, welcome] {
        const auto member = make_connection(loop, socket, ipv6, welcome);
        loop->add(member);
        member->begin();
    });
}

bool Server::Impl::stop(std::chrono::milliseconds grace) {
    if (std::exchange(stopped_, true)) {
        return true;
    }
    const auto deadline = std::chrono::steady_clock::now() + grace;
    std::promise<void> closed;
    asio::post(acceptor_.get_executor(), [&] {
        acceptor_.close();
        pause_.cancel();
        closed.set_value();
    });
    closed.get_future().wait();
    for (const auto& worker : workers_) {
        asio::post(worker->loop->context(), [&loop = *worker->loop] { loop.drain(); });
    }
    const auto open = [this] {
        return shared_->connections + shared_->turned_away;
    };
    while (open() > 0 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const bool all_done = open() == 0;
    for (const auto& worker : workers_) {
        asio::post(worker->loop->context(), [&worker = *worker] { worker.stop(); });
    }
    for (const auto& worker : workers_) {
        worker->thread.join();
    }
    return all_done;
}

Server::Server(const ServerOptions& options, ServerHooks hooks)
    : impl_(std::make_unique<Impl>(options, std::move(hooks))) {}

Server::~Server() {
    impl_->stop(std::chrono::milliseconds(0));
}

std::uint16_t Server::port() const noexcept {
    return impl_->port();
}

std::string Server::url() const {
    return impl_->url();
}

std::size_t Server::connections() const noexcept {
    return impl_->connections();
}

bool Server::stop(std::chrono::milliseconds grace) {
    return impl_->stop(grace);
}

}  // namespace passbook::http
