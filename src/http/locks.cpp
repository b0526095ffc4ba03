// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <memory>

#include "http/api.h"
#include "http/fields.h"
#include "http/json_writer.h"
#include "http/outcome.h"

namespace passbook::http {
namespace {

using lock::Acquired;
using lock::Millis;
using lock::Released;
using lock::Renewed;
using lock::Token;

constexpr std::int64_t ttl_ms_min = 200;
constexpr std::int64_t ttl_ms_max = 3'600'000;
constexpr std::int64_t wait_ms_max = 60'000;

/// What the body of a call about a lock says; each call takes some of it.
struct LockBody {
    Millis ttl{0};
    Millis wait{0};
    std::optional<Token> token;
};

enum class Takes { ttl_and_wait, token_and_ttl, token };

Result<LockBody, Problem> read_body(const Call& call, Takes takes, Millis ttl_default) {
    const auto document = Document::parse(call.body.empty() ? "{}" : call.body);
    if (!document) {
        return fail(document.error());
    }
    Fields in(document->root());
    LockBody body{.ttl = ttl_default};
    if (takes != Takes::token) {
        body.ttl = Millis(
            in.optional_integer("ttl_ms", ttl_ms_min, ttl_ms_max).value_or(ttl_default.count()));
    }
    if (takes == Takes::ttl_and_wait) {
        body.wait = Millis(in.optional_integer("wait_ms", 0, wait_ms_max).value_or(0));
    } else {
        body.token = Token::parse(in.word("token"));
        if (!body.token) {
            in.refuse("token", Code::invalid_value, "must be what the acquisition answered");
        }
    }
    if (const auto& problem = in.problem()) {
        return fail(*problem);
    }
    return body;
}

Problem no(Code code) {
    return {code, std::string(info(code).meaning), {}};
}

Problem held(Millis left) {
    if (left <= Millis(0)) {
        return no(Code::lock_busy);
    }
    return {Code::lock_busy,
            fmt::format("Somebody holds the lock, for {} ms at most unless it is renewed.",
                        left.count()),
            {}};
}

Result<Response, Problem> acquire(lock::Locks& locks, const std::string& key,
                                  const LockBody& body) {
    const auto answer = locks.issue(key, body.ttl, body.wait);
    switch (answer.result) {
        case Acquired::acquired:
            break;
        case Acquired::busy:
        case Acquired::timeout:
            return fail(held(answer.left));
        case Acquired::unavailable:
            return fail(no(Code::lock_unavailable));
        case Acquired::cancelled:
            return fail(no(Code::unavailable));
    }
    Response response;
    response.status = 201;
    JsonWriter out(response.body);
    out.begin_object();
    out.name("key").text(key);
    out.name("token").text(answer.what->token.hex());
    out.name("fence").number(answer.what->fence);
    out.name("valid_for_ms").number(answer.what->valid_for.count());
    out.end_object();
    return response;
}

Result<Response, Problem> renew(lock::Locks& locks, const std::string& key, const LockBody& body) {
    Millis valid_for{0};
    switch (locks.renew(key, *body.token, body.ttl, valid_for)) {
        case Renewed::renewed:
            break;
        case Renewed::gone:
            return fail(no(Code::lock_expired));
        case Renewed::taken:
            return fail(no(Code::lock_not_owner));
        case Renewed::unknown:
            return fail(no(Code::lock_unavailable));
    }
    Response response;
    JsonWriter out(response.body);
    out.begin_object();
    out.name("key").text(key);
    out.name("valid_for_ms").number(valid_for.count());
    out.end_object();
    return response;
}

Result<Response, Problem> release(lock::Locks& locks, const std::string& key,
                                  const LockBody& body) {
    switch (locks.release(key, *body.token)) {
        case Released::released:
            break;
        case Released::already_expired:
            return fail(no(Code::lock_expired));
        case Released::not_owner:
            return fail(no(Code::lock_not_owner));
        case Released::unknown:
            return fail(no(Code::lock_unavailable));
    }
    Response response;
    JsonWriter out(response.body);
    out.begin_object().name("key").text(key).name("released").boolean(true).end_object();
    return response;
}

Result<Response, Problem> look(lock::Locks& locks, const std::string& key, const LockBody&) {
    const auto found = locks.look(key);
    if (!found) {
        return fail(no(Code::lock_unavailable));
    }
    Response response;
    JsonWriter out(response.body);
    out.begin_object();
    out.name("key").text(key);
    out.name("held").boolean(found->held);
    out.name("left_ms");
    if (found->held && found->left > Millis(0)) {
        out.number(found->left.count());
    } else {
        out.null();
    }
    out.end_object();
    return response;
}

using LockCall = Result<Response, Problem> (*)(lock::Locks&, const std::string&, const LockBody&);

/// Has the call made on a thread that may wait for the lock service. Those that wait for other
/// holders have threads of their own: a release never stands behind them.
void hand_on(Service& service, Call call, LockCall make, const LockBody& body) {
    const auto shared = std::make_shared<Call>(std::move(call));
    Workers& workers = body.wait > Millis(0) ? service.lock_waits : service.lock_calls;
    const bool is_taken = workers.run([&service, shared, make, body] {
        auto made = make(*service.locks, shared->ids.front(), body);
        if (made) {
            shared->answer(std::move(*made));
        } else {
            shared->refuse(made.error());
        }
    });
    if (!is_taken) {
        shared->refuse(problem_of(FailureKind::busy));
    }
}

void handle(Service& service, Call call, LockCall make, std::optional<Takes> takes) {
    if (const auto problem = call.query.unknown()) {
        return call.refuse(*problem);
    }
    if (service.locks == nullptr) {
        return call.refuse(
            {Code::lock_unavailable, "This server has no lock service: start it with --lock.", {}});
    }
    if (!valid_id(call.ids.front())) {
        return call.refuse(no(Code::invalid_id));
    }
    if (takes == Takes::ttl_and_wait && call.ids.front().starts_with(writer::own_keys)) {
        return call.refuse({Code::invalid_id, "Keys that begin so are the server's own.", {}});
    }
    LockBody body;
    if (takes) {
        auto read = read_body(call, *takes, service.locks->settings().ttl);
        if (!read) {
            return call.refuse(read.error());
        }
        body = std::move(*read);
    }
    hand_on(service, std::move(call), make, body);
}

Route route(Service& service, Method method, std::string_view pattern, LockCall make,
            std::optional<Takes> takes) {
    return {method, pattern, takes ? KeyRule::not_taken : KeyRule::ignored,
            takes ? body_bytes_max : 0, [&service, make, takes](Call call) {
                handle(service, std::move(call), make, takes);
            }};
}

}  // namespace

void add_lock_routes(std::vector<Route>& routes, Service& service) {
    routes.push_back(route(service, Method::post, "/v1/locks/{key}", acquire, Takes::ttl_and_wait));
    routes.push_back(
        route(service, Method::post, "/v1/locks/{key}/renew", renew, Takes::token_and_ttl));
    routes.push_back(
        route(service, Method::post, "/v1/locks/{key}/release", release, Takes::token));
    routes.push_back(route(service, Method::get, "/v1/locks/{key}", look, std::nullopt));
}

}  // namespace passbook::http
