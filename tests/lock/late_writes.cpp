// SPDX-License-Identifier: Apache-2.0
// What a lock cannot do and the fence does: keep out a holder that stood still beyond its time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "tests/lock/work.h"
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
    /// What it says, but for its log.
    [[nodiscard]] std::string tell(const std::string& line) const {
        static_cast<void>(std::fputs((line + "\n").c_str(), to_));
        static_cast<void>(std::fflush(to_));
        std::array<char, 1024> said{};
        do {
            if (std::fgets(said.data(), said.size(), from_) == nullptr) {
                return "ended";
            }
        } while (said[0] == '[');
        std::string text = said.data();
        return text.substr(0, text.find('\n'));
    }

private:
    pid_t process_ = -1;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
};

struct Servers {
    Servers() {
        database.run(make_work);
    }

    test::PostgresDatabase database;
    test::RedisServer redis;
};

class RedisFences : public testing::Test, protected Servers {};

class LateWrites : public testing::TestWithParam<std::string>, protected Servers {
protected:
    [[nodiscard]] std::string service() const {
        return GetParam() == "redis" ? redis.url() : GetParam();
    }
};

INSTANTIATE_TEST_SUITE_P(Each, LateWrites, testing::Values("redis", "store", "advisory"),
                         [](const auto& test) { return test.param; });

TEST_P(LateWrites, Test01PauseBeyondTheTtl) {
    const Holder paused(service(), database.url());
    ASSERT_EQ(paused.tell("acquire"), "acquired");
    ASSERT_EQ(paused.tell("write early"), "written  0 0");
    paused.send(SIGSTOP);

    auto locks = open_quick(service(), database.url());
    auto next = locks.acquire("k", std::chrono::seconds(10));
    ASSERT_TRUE(next.lock);
    EXPECT_TRUE(write(database.url(), "right", next.lock->fence()));
    std::this_thread::sleep_for(std::chrono::seconds(2));

    paused.send(SIGCONT);
    const std::string said = paused.tell("write late");
    EXPECT_EQ(said.substr(0, 5), "late ") << said;
    EXPECT_EQ(said.substr(said.size() - 1), "1") << "one stale write is counted: " << said;
    EXPECT_EQ(read(database.url()), "right");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(paused.tell("write later"), "late expired 1 2");
    EXPECT_TRUE(next.lock->valid());
}

// Redis lost all that it knew, and both hold the lock.
TEST_F(RedisFences, Test17FlushedTokensDoNotGoBackwards) {
    auto one = open_quick(redis.url(), database.url());
    auto two = open_quick(redis.url(), database.url());
    const auto first = one.acquire("k");
    ASSERT_TRUE(first.lock);
    redis.ask({"FLUSHALL"});
    const auto second = two.acquire("k");
    ASSERT_TRUE(second.lock);
    EXPECT_GT(second.lock->fence().number, first.lock->fence().number);
    EXPECT_TRUE(write(database.url(), "right", second.lock->fence()));
    EXPECT_FALSE(write(database.url(), "late", first.lock->fence()));
    EXPECT_EQ(read(database.url()), "right");
}

}  // namespace
}  // namespace passbook::lock_tests
