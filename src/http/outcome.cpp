// SPDX-License-Identifier: Apache-2.0
#include "http/outcome.h"

#include "base/assert.h"
#include "base/planted.h"
#include "http/rows.h"

namespace passbook::http {
namespace {

Response done(const ledger::Record& record) {
    Response response;
    response.status = 201;
    response.body.reserve(512);
    JsonWriter out(response.body);
    write_record(out, record);
    return response;
}

Response done(const ledger::PutDone& put) {
    Response response;
    response.status = put.created ? 201 : 200;
    JsonWriter out(response.body);
    if (const auto* account = std::get_if<ledger::Account>(&put.after)) {
        write_account(out, *account, 0);
    } else {
        write_asset(out, std::get<ledger::Asset>(put.after));
    }
    return response;
}

Response done(const ledger::Refusal& refusal) {
    return problem_response(
        {refusal.code, detail(refusal), refusal.account ? refusal.account->text() : std::string()});
}

Response done(const ledger::Rejection& rejection) {
    return problem_response(problem_of(rejection));
}

}  // namespace

Code code_of(FailureKind failure) {
    switch (failure) {
        case FailureKind::busy:
            return Code::busy;
        case FailureKind::unavailable:
            return Code::unavailable;
        case FailureKind::in_doubt:
            return Code::outcome_unknown;
        case FailureKind::broken:
            return Code::broken;
    }
    PASSBOOK_ASSERT(false);
    return Code::broken;
}

Problem problem_of(FailureKind failure) {
    const Code code = code_of(failure);
    return {code, std::string(info(code).meaning), {}};
}

Problem problem_of(const ledger::Rejection& rejection) {
    return {rejection.code, rejection.detail, {}};
}

Outcome outcome_of(const writer::Reply& reply) {
    if (const auto* failure = std::get_if<FailureKind>(&reply)) {
        if (planted(Bug::refusal_for_failure)) {
            return {done(ledger::Refusal{Code::insufficient_balance, {}, {}}), false};
        }
        return outcome_of(problem_of(*failure));
    }
    const auto& answer = std::get<ledger::Answer>(reply);
    Outcome outcome{std::visit([](const auto& body) { return done(body); }, answer.body),
                    answer.replayed};
    if (planted(Bug::replay_without_status) && answer.replayed) {
        outcome.response.status = 201;
    }
    return outcome;
}

Outcome outcome_of(const Problem& problem) {
    return {problem_response(problem), false};
}

Outcome outcome_of(const ledger::Outcome& stored) {
    if (const auto* refused = std::get_if<ledger::StoredRefusal>(&stored)) {
        return {done(refused->refusal), true};
    }
    return {done(std::get<ledger::Record>(stored)), true};
}

Response to_response(Outcome outcome) {
    if (outcome.replayed) {
        outcome.response.headers.emplace_back("Idempotency-Replayed", "true");
    }
    return std::move(outcome.response);
}

}  // namespace passbook::http
