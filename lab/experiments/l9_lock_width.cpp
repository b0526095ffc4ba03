// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <thread>

#include "lab/catalogue.h"
#include "lab/crowd.h"
#include "lab/held_lock.h"
#include "lab/labels.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr std::int64_t workers = 20;
constexpr std::int64_t requests_each = 20;
constexpr std::int64_t coupons = 4;
constexpr std::int64_t quota = 25;

struct Request {
    std::int64_t coupon = 0;
    std::int64_t user = 0;
};

/// Every user asks twice for one coupon, at two processes: 50 users for each of the 4.
Request request_of(std::int64_t worker, std::int64_t n) {
    const std::int64_t user = (worker / 2) * requests_each + n;
    return {.coupon = user % coupons, .user = user};
}

std::string key_of(const std::string& width, const Request& request) {
    if (width == "coupon") {
        return "lock:coupon";
    }
    return width == "id" ? fmt::format("lock:coupon:{}", request.coupon)
                         : fmt::format("lock:coupon:{}:user:{}", request.coupon, request.user);
}

/// Looks, works for 10 ms, and then writes what it saw plus one.
bool issue_as_seen(Self& self, const Request& request) {
    const std::int64_t issued =
        self.sql().row("SELECT issued FROM coupon WHERE id = ?1", {request.coupon}).at(0);
    const std::int64_t own =
        self.sql()
            .row("SELECT count(*) FROM issue WHERE coupon = ?1 AND user_id = ?2",
                 {request.coupon, request.user})
            .at(0);
    self.note(Moment::read,
              say("coupon {}: {} issued", "쿠폰 {}: {}장 발급됨", request.coupon, issued));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (issued >= quota || own > 0) {
        return false;
    }
    self.begin();
    self.sql().change("UPDATE coupon SET issued = ?1 WHERE id = ?2", {issued + 1, request.coupon});
    self.sql().change("INSERT INTO issue (coupon, user_id) VALUES (?1, ?2)",
                      {request.coupon, request.user});
    self.commit();
    return true;
}

/// The database says whether there is one left, and whether this user has one.
bool issue_atomically(Self& self, const Request& request) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    self.begin();
    try {
        self.sql().change("INSERT INTO issue (coupon, user_id) VALUES (?1, ?2)",
                          {request.coupon, request.user});
    } catch (const Duplicate&) {
        self.roll_back();
        return false;
    }
    if (self.sql().change("UPDATE coupon SET issued = issued + 1 WHERE id = ?1 AND issued < quota",
                          {request.coupon}) == 0) {
        self.roll_back();
        return false;
    }
    self.commit();
    return true;
}

void work(Self& self) {
    const std::string& width = self.word("width");
    const bool is_atomic = self.word("guard") == "atomic";
    OurHeld lock(self);
    (void)self.sql();
    self.here("ready");
    std::int64_t accepted = 0;
    for (std::int64_t n = 0; n < requests_each; ++n) {
        const Request request = request_of(self.number("worker"), n);
        if (width != "none" && !lock.acquire(key_of(width, request), std::chrono::seconds(50))) {
            throw std::runtime_error("no lock");
        }
        const bool is_issued =
            is_atomic ? issue_atomically(self, request) : issue_as_seen(self, request);
        accepted += is_issued ? 1 : 0;
        self.note(is_issued ? Moment::accepted : Moment::refused,
                  is_issued ? Text("issued", "발급") : Text(labels::refused));
        if (width != "none") {
            lock.release();
        }
    }
    self.here("done");
    self.report("accepted", accepted);
}

void create_coupons(Session& session, bool is_guarded) {
    session.change(
        "CREATE TABLE coupon (id BIGINT PRIMARY KEY, quota BIGINT NOT NULL, "
        "issued BIGINT NOT NULL)");
    session.change(
        fmt::format("CREATE TABLE issue (coupon BIGINT NOT NULL, user_id BIGINT NOT NULL{})",
                    is_guarded ? ", PRIMARY KEY (coupon, user_id)" : ""));
    for (std::int64_t id = 0; id < coupons; ++id) {
        session.change("INSERT INTO coupon (id, quota, issued) VALUES (?1, ?2, 0)", {id, quota});
    }
}

Round played(Stage& stage, const std::string& width, const std::string& guard) {
    (void)Ledger::open(stage.store_url());
    const auto session = stage.database().connect();
    create_coupons(*session, guard == "atomic");
    const Crowd done =
        crowd(stage, "L9", "work", workers, {{"ttl", "20000"}, {"width", width}, {"guard", guard}});
    Round round{.accepted = done.sum("accepted"), .time = done.time};
    round.refused = workers * requests_each - round.accepted;
    const std::int64_t issued = session->row("SELECT count(*) FROM issue").at(0);
    const std::int64_t doubles =
        session
            ->row(
                "SELECT count(*) FROM (SELECT coupon FROM issue GROUP BY coupon, user_id "
                "HAVING count(*) > 1) d")
            .at(0);
    round.figures = {{labels::per_second, per_second(workers * requests_each, done.time)},
                     {{"over", "초과"}, issued - coupons * quota},
                     {{"doubles", "중복"}, doubles}};
    if (issued > coupons * quota || doubles > 0) {
        round.failure = say("{} issued of {}, {} of them twice to one user",
                            "{1}장 중 {0}장 발급, 그중 {2}장은 한 사용자에게 두 번", issued,
                            coupons * quota, doubles);
    } else if (issued != coupons * quota || issued != round.accepted) {
        round.surprise =
            say("{} issued, {} accepted", "{}장 발급, {}건 승인", issued, round.accepted);
    }
    return round;
}

Way way(std::string name, Promise promise, Text how, const std::string& width,
        const std::string& guard) {
    return {.name = std::move(name),
            .promise = promise,
            .how = std::move(how),
            .play = [=](Stage& stage) {
                return played(stage, width, guard);
            }};
}

}  // namespace

Experiment l9_lock_width() {
    return {.id = "L9",
            .question = {"How wide is a lock to be?", "락은 얼마나 넓어야 할까?"},
            .setting = {"4 coupons, 25 of each; 200 users ask twice each, at 20 processes at once. "
                        "Under the lock a process looks, works for 10 ms, and writes.",
                        "쿠폰 4종, 25장씩. 사용자 200명이 두 번씩, 프로세스 20개에 동시에 청한다. "
                        "프로세스는 락 아래 보고, 10ms 일하고, 쓴다."},
            .expectation = {"lock:coupon is right and makes all wait for all; lock:coupon:{id} is "
                            "right and faster; lock:coupon:{id}:user:{user} issues too many. With "
                            "the rule in the database the narrow lock is right, and so is none.",
                            "lock:coupon은 맞지만 모두가 모두를 기다린다. lock:coupon:{id}는 맞고 "
                            "더 빠르다. lock:coupon:{id}:user:{user}는 너무 많이 발급한다. 규칙이 "
                            "데이터베이스에 있으면 좁은 락도 맞고, 락이 없어도 맞다."},
            .ways = {way("coupon", Promise::guarded, verbatim("lock:coupon"), "coupon", "none"),
                     way("id", Promise::guarded, verbatim("lock:coupon:{id}"), "id", "none"),
                     way("user", Promise::unsafe, verbatim("lock:coupon:{id}:user:{user}"), "user",
                         "none"),
                     way("user, atomic", Promise::guarded,
                         {"the same, and one UPDATE with a unique key beside it",
                          "똑같이 하되 UPDATE 하나와 유일 키를 곁들인다"},
                         "user", "atomic"),
                     way("no lock, atomic", Promise::guarded,
                         {"the UPDATE and the unique key alone", "UPDATE와 유일 키만으로"}, "none",
                         "atomic")},
            .rounds = 1,
            .compare =
                [](const std::vector<Round>& rounds) {
                    const auto rate = [&](std::size_t way) {
                        return rounds.at(way).figures.at(0).value;
                    };
                    return rate(1) > rate(0) && rate(4) > rate(0)
                               ? Text()
                               : Text("the wide lock is not the slowest",
                                      "넓은 락이 가장 느리지 않음");
                },
            .roles = {{"work", work}},
            .has_locks = true,
            .is_measured = true};
}

}  // namespace passbook::lab
