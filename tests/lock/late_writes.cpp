// SPDX-License-Identifier: Apache-2.0
// What a lock cannot do and the fence does: keep out a holder that stood still beyond its time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <barrier>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "tests/lock/proxy.h"
#include "tests/lock/sessions.h"
#include "tests/lock/work.h"
#include "tests/servers/mariadb_database.h"
#include "tests/servers/postgres_database.h"
#include "tests/servers/redis_server.h"

namespace passbook::lock_tests {
namespace {

/// A lock_holder, and the lines it is told and says.
class Holder {
public:
    Holder(const std::string& service, const std::string& store) {
        std::array<int, 2> in{};
        std::array<int, 2> out{};
        if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0) {
            throw std::runtime_error("no pipe");
        }
        process_ = ::fork();
        if (process_ == 0) {
            ::dup2(in[0], STDIN_FILENO);
            ::dup2(out[1], STDOUT_FILENO);
            ::close(in[1]);  // or it would never see the end of its input
            ::execl("./lock_holder", "lock_holder", service.c_str(), store.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        to_ = ::fdopen(in[1], "w");
        from_ = ::fdopen(out[0], "r");
    }
    ~Holder() {
        send(SIGKILL);
        ::waitpid(process_, nullptr, 0);
        static_cast<void>(std::fclose(to_));
        static_cast<void>(std::fclose(from_));
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    void send(int signal) const {
        ::kill(process_, signal);
    }
    void tell(const std::string& line) const {
        static_cast<void>(std::fputs((line + "\n").c_str(), to_));
        static_cast<void>(std::fflush(to_));
    }
    /// What it says next, but for its log.
    [[nodiscard]] std::string hear() const {
        std::array<char, 1024> said{};
        do {
            if (std::fgets(said.data(), said.size(), from_) == nullptr) {
                return "ended";
            }
        } while (said[0] == '[');
        std::string text = said.data();
        return text.substr(0, text.find('\n'));
    }
    [[nodiscard]] std::string ask(const std::string& line) const {
        tell(line);
        return hear();
    }

private:
    pid_t process_ = -1;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
};

/// A store's database with the table of work.h in it.
class Workplace {
public:
    virtual ~Workplace() = default;
    [[nodiscard]] virtual std::string url() const = 0;
    virtual void end_sessions() const = 0;
};

template <class Database>
class WorkplaceOf final : public Workplace {
public:
    WorkplaceOf(const char* make, const char* end_sessions) : end_sessions_(end_sessions) {
        database_.run(make);
    }
    std::string url() const override {
        return database_.url();
    }
    void end_sessions() const override {
        database_.run(end_sessions_);
    }

private:
    const char* end_sessions_;
    Database database_;
};

std::unique_ptr<Workplace> new_workplace(const std::string& database) {
    if (database == "mariadb") {
        return std::make_unique<WorkplaceOf<test::MariadbDatabase>>(make_mariadb_work,
                                                                    end_mariadb_sessions);
    }
    return std::make_unique<WorkplaceOf<test::PostgresDatabase>>(make_postgres_work,
                                                                 end_postgres_sessions);
}

/// A kind of lock, and the database whose store mints the fences and that is written to.
using On = std::tuple<std::string, std::string>;

class LateWrites : public testing::TestWithParam<On> {
protected:
    LateWrites() : work_(new_workplace(std::get<1>(GetParam()))) {
        if (kind() == "redis") {
            redis_.emplace(std::initializer_list<std::string>{}, test::RedisServer::Clock::ours);
        }
    }

    [[nodiscard]] const std::string& kind() const {
        return std::get<0>(GetParam());
    }
    [[nodiscard]] std::string service() const {
        return redis_ ? redis_->url() : kind();
    }
    [[nodiscard]] std::string store() const {
        return work_->url();
    }
    /// What keeps the keys is at the port, behind this.
    [[nodiscard]] std::uint16_t port() const {
        return port_of(redis_ ? redis_->url() : store());
    }
    [[nodiscard]] Locks opened() const {
        return open_quick(service(), store());
    }
    [[nodiscard]] const test::RedisServer& redis() const {
        return *redis_;
    }
    void end_sessions() const {
        work_->end_sessions();
    }
    static Lock held(Locks& by, std::chrono::milliseconds wait = {}) {
        auto answer = by.acquire("k", wait);
        if (!answer.lock) {
            throw std::runtime_error("not acquired");
        }
        return std::move(*answer.lock);
    }
    /// Two who hold the same at once both do their work: one of them is told that he was late.
    void expect_one_wins(const Lock& one, const Lock& other) const {
        ASSERT_NE(one.fence().number, other.fence().number);
        const std::array<const Lock*, 2> locks{&one, &other};
        std::array<bool, 2> won{};
        std::barrier start(2);
        const auto write_at_once = [&](std::size_t i) {
            start.arrive_and_wait();
            won[i] = write_first(store(), std::to_string(i), locks[i]->fence());
        };
        std::thread second([&] { write_at_once(1); });
        write_at_once(0);
        second.join();
        EXPECT_NE(won[0], won[1]);
        EXPECT_EQ(read(store()), won[0] ? "0" : "1");
    }

private:
    std::unique_ptr<Workplace> work_;
    std::optional<test::RedisServer> redis_;
};

std::string name_of_on(const testing::TestParamInfo<On>& on) {
    return std::get<0>(on.param) + "_" + std::get<1>(on.param);
}

const auto databases = testing::Values("postgres", "mariadb");

INSTANTIATE_TEST_SUITE_P(Each, LateWrites,
                         testing::Combine(testing::Values("redis", "store", "advisory"), databases),
                         name_of_on);

TEST_P(LateWrites, Test01PauseBeyondTheTtl) {
    const Holder paused(service(), store());
    ASSERT_EQ(paused.ask("acquire"), "acquired");
    ASSERT_EQ(paused.ask("write early"), "written  0 0");
    paused.send(SIGSTOP);

    auto locks = opened();
    const auto next = held(locks, std::chrono::seconds(10));
    EXPECT_TRUE(write(store(), "right", next.fence()));
    std::this_thread::sleep_for(std::chrono::seconds(2));

    paused.send(SIGCONT);
    const std::string said = paused.ask("write late");
    EXPECT_EQ(said.substr(0, 5), "late ") << said;
    EXPECT_EQ(said.substr(said.size() - 1), "1") << "one stale write is counted: " << said;
    EXPECT_EQ(read(store()), "right");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(paused.ask("write later"), "late expired 1 2");
    EXPECT_TRUE(next.valid());
}

// A session is the advisory lock; one whose holder stands still is ended while the answer waits.
TEST_P(LateWrites, Test02PauseWhileTheAnswerIsInTheSocket) {
    Proxy proxy(port());
    const bool at_redis = kind() == "redis";
    const Holder paused(at_redis ? at_port(service(), proxy.port()) : service(),
                        at_redis ? store() : at_port(store(), proxy.port()));
    ASSERT_EQ(paused.ask("acquire"), "acquired");  // so that there are connections
    ASSERT_EQ(paused.ask("release"), "released");
    proxy.hold_answers(true);
    paused.tell("acquire");
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    paused.send(SIGSTOP);
    proxy.hold_answers(false);

    auto locks = opened();
    if (kind() != "advisory") {
        EXPECT_EQ(locks.acquire("k").result, Acquisition::Result::busy) << "it was taken";
    }
    const auto next = held(locks, std::chrono::seconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    paused.send(SIGCONT);
    EXPECT_EQ(paused.hear(), "not acquired");
    EXPECT_TRUE(next.valid());
    EXPECT_EQ(locks.acquire("k").result, Acquisition::Result::busy);
    EXPECT_TRUE(write(store(), "right", next.fence()));
}

/// What a session's end is to an advisory lock, and is not to a lease or a key in Redis.
TEST_P(LateWrites, Test16SessionsThatAnAdministratorEnds) {
    auto a = opened();
    auto b = opened();
    auto first = held(a);
    EXPECT_TRUE(write(store(), "first", first.fence()));
    end_sessions();
    if (kind() != "advisory") {
        std::this_thread::sleep_for(std::chrono::seconds(3));
        EXPECT_TRUE(first.valid()) << "renewed on another session";
        EXPECT_EQ(b.acquire("k").result, Acquisition::Result::busy);
        return;
    }
    const auto second = held(b, std::chrono::seconds(5));
    EXPECT_TRUE(write(store(), "right", second.fence()));
    EXPECT_FALSE(write(store(), "under the old term", first.fence()));
    EXPECT_EQ(read(store()), "right");
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_TRUE(first.stop_token().stop_requested());
    EXPECT_EQ(first.lost(), "expired");
}

/// Redis can lose what it knew, and then two hold the same.
class RedisFences : public LateWrites {};

INSTANTIATE_TEST_SUITE_P(Each, RedisFences, testing::Combine(testing::Values("redis"), databases),
                         name_of_on);

TEST_P(RedisFences, Test10APrimaryThatIsKilledBeforeItCouldReplicate) {
    const test::RedisServer& primary = redis();
    Proxy between(port_of(primary.url()));
    const test::RedisServer replica{"replicaof=127.0.0.1 " + std::to_string(between.port()),
                                    "masterauth=" + primary.address().password};
    ASSERT_TRUE(replica.follows());
    auto a = open_quick(primary.url(), store());
    auto b = open_quick(replica.url(), store());
    const auto comes_to = [&](Acquisition::Result wanted) {
        auto result = b.acquire("k").result;
        for (int i = 0; i < 500 && result != wanted; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            result = b.acquire("k").result;
        }
        return result == wanted;
    };
    {
        const auto seen = held(a);
        EXPECT_TRUE(comes_to(Acquisition::Result::busy)) << "the replica hears of it";
    }
    ASSERT_TRUE(comes_to(Acquisition::Result::unavailable)) << "and takes no writes of its own";
    between.hold_all(true);
    const auto first = held(a);
    primary.send(SIGKILL);
    between.set_down(true);
    replica.ask({"REPLICAOF", "NO", "ONE"});
    const auto second = held(b, std::chrono::milliseconds(500));
    EXPECT_TRUE(first.valid() && second.valid()) << "two hold the same, and each believes it";
    expect_one_wins(first, second);
    EXPECT_TRUE(write(store(), "right", second.fence()));
    EXPECT_FALSE(write(store(), "late", first.fence()));
    EXPECT_EQ(read(store()), "right");
    std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
    EXPECT_EQ(first.lost(), "unreachable");
    EXPECT_TRUE(second.valid());
}

TEST_P(RedisFences, Test17FlushedTokensDoNotGoBackwards) {
    auto a = opened();
    auto b = opened();
    const auto first = held(a);
    redis().ask({"FLUSHALL"});
    const auto second = held(b);
    EXPECT_GT(second.fence().number, first.fence().number);
    EXPECT_TRUE(write(store(), "right", second.fence()));
    EXPECT_FALSE(write(store(), "late", first.fence()));
    EXPECT_EQ(read(store()), "right");
}

TEST_P(RedisFences, Test09AnHourAheadLetsTwoInAndTheFenceTellsThem) {
    auto a = opened();
    auto b = opened();
    const auto first = held(a);
    EXPECT_EQ(b.acquire("k").result, Acquisition::Result::busy);
    redis().set_clock(std::chrono::hours(1));
    const auto second = held(b);
    EXPECT_TRUE(first.valid() && second.valid()) << "two hold the same, and each believes it";
    expect_one_wins(first, second);
    EXPECT_TRUE(write(store(), "right", second.fence()));
    EXPECT_FALSE(write(store(), "late", first.fence()));
    EXPECT_EQ(read(store()), "right");
    std::this_thread::sleep_for(std::chrono::seconds(2));
    EXPECT_EQ(first.lost(), "stolen");
    EXPECT_TRUE(second.valid()) << "by the new time all goes on";
}

TEST_P(RedisFences, Test09AnHourBackKeepsNobodyOut) {
    auto a = opened();
    auto b = opened();
    auto first = held(a);
    redis().set_clock(-std::chrono::hours(1));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    EXPECT_TRUE(first.valid());
    EXPECT_EQ(b.acquire("k").result, Acquisition::Result::busy);
    EXPECT_EQ(first.release(), "released");
    EXPECT_EQ(held(b).release(), "released");

    redis().set_clock(std::chrono::seconds(0));
    {
        const Holder killed(service(), store());
        ASSERT_EQ(killed.ask("acquire"), "acquired");
    }
    redis().set_clock(-std::chrono::hours(1));
    const auto next = held(b, std::chrono::seconds(5));
    EXPECT_TRUE(next.valid()) << "of a holder that is gone, no later than its TTL from being asked";
}

}  // namespace
}  // namespace passbook::lock_tests
