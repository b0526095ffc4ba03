// SPDX-License-Identifier: Apache-2.0
#include "lab/trade_lock.h"

#include <fmt/format.h>

#include "lab/redis_link.h"

namespace passbook::lab {
namespace {

using std::chrono::milliseconds;

constexpr const char* compare_and_delete =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
    "else return 0 end";

class OnRedis : public TradeLock {
public:
    explicit OnRedis(const std::string& url) : redis_(url) {}

    bool set(const std::string& key, const std::string& token, milliseconds ttl) override {
        return redis_
            .ask({"SET", redis_.name_of(key), token, "NX", "PX", fmt::format("{}", ttl.count())})
            .text.has_value();
    }
    void del(const std::string& key) override {
        redis_.ask({"DEL", redis_.name_of(key)});
    }
    bool del_if(const std::string& key, const std::string& token) override {
        return redis_.ask({"EVAL", compare_and_delete, "1", redis_.name_of(key), token}).number ==
               1;
    }
    bool renew(const std::string& key, milliseconds ttl) override {
        return redis_.ask({"PEXPIRE", redis_.name_of(key), fmt::format("{}", ttl.count())})
                   .number == 1;
    }
    bool is(const std::string& key, const std::string& token) override {
        return redis_.ask({"GET", redis_.name_of(key)}).text == token;
    }
    bool is_held(const std::string& key) override {
        return redis_.ask({"EXISTS", redis_.name_of(key)}).number == 1;
    }

private:
    RedisLink redis_;
};

std::int64_t now() {
    return std::chrono::duration_cast<milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

class InTable : public TradeLock {
public:
    explicit InTable(const std::string& url) : session_(session_at(url)) {}

    bool set(const std::string& key, const std::string& token, milliseconds ttl) override {
        session_->change("DELETE FROM trade_lock WHERE name = ?1 AND expires_at <= ?2",
                         {key, now()});
        try {
            session_->change("INSERT INTO trade_lock (name, token, expires_at) VALUES (?1, ?2, ?3)",
                             {key, token, now() + ttl.count()});
            return true;
        } catch (const Duplicate&) {
            return false;
        }
    }
    void del(const std::string& key) override {
        session_->change("DELETE FROM trade_lock WHERE name = ?1", {key});
    }
    bool del_if(const std::string& key, const std::string& token) override {
        return session_->change(
                   "DELETE FROM trade_lock WHERE name = ?1 AND token = ?2 AND expires_at > ?3",
                   {key, token, now()}) == 1;
    }
    bool renew(const std::string& key, milliseconds ttl) override {
        return session_->change(
                   "UPDATE trade_lock SET expires_at = ?2 WHERE name = ?1 AND expires_at > ?3",
                   {key, now() + ttl.count(), now()}) == 1;
    }
    bool is(const std::string& key, const std::string& token) override {
        return !session_
                    ->row(
                        "SELECT 1 FROM trade_lock WHERE name = ?1 AND token = ?2 "
                        "AND expires_at > ?3",
                        {key, token, now()})
                    .empty();
    }
    bool is_held(const std::string& key) override {
        return !session_
                    ->row("SELECT 1 FROM trade_lock WHERE name = ?1 AND expires_at > ?2",
                          {key, now()})
                    .empty();
    }

private:
    std::unique_ptr<Session> session_;
};

}  // namespace

std::unique_ptr<TradeLock> trade_lock(const std::string& redis, const std::string& plain_tables) {
    if (redis.empty()) {
        return std::make_unique<InTable>(plain_tables);
    }
    return std::make_unique<OnRedis>(redis);
}

void create_trade_locks(Session& session) {
    session.change(
        "CREATE TABLE trade_lock (name VARCHAR(128) PRIMARY KEY, token VARCHAR(64) NOT NULL, "
        "expires_at BIGINT NOT NULL)");
}

}  // namespace passbook::lab
