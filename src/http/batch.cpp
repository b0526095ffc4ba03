// SPDX-License-Identifier: Apache-2.0
// Many commands in one request, each with its own key and outcome, as if sent one by one: those of
// one subject keep their order, and a malformed one spoils nothing but its own place.
#include <atomic>
#include <variant>

#include "http/json_writer.h"
#include "http/outcome.h"
#include "http/writes.h"

namespace passbook::http {
namespace {

constexpr std::size_t commands_max = 10'000;

/// What came of every item; the last to be answered answers the call.
struct Batch {
    Batch(Call of, std::size_t size) : call(std::move(of)), outcomes(size), left(size + 1) {}

    Call call;
    std::vector<std::variant<std::monostate, Problem, writer::Reply>> outcomes;
    std::atomic<std::size_t> left;  // one more than the items, for the handler itself
};

Response render(const Batch& batch) {
    Response response;
    response.body.reserve(batch.outcomes.size() * 512);
    JsonWriter out(response.body);
    out.begin_object().name("results").begin_array();
    for (const auto& item : batch.outcomes) {
        const auto* problem = std::get_if<Problem>(&item);
        const Outcome outcome =
            problem != nullptr ? outcome_of(*problem) : outcome_of(std::get<writer::Reply>(item));
        out.begin_object();
        out.name("status").number(outcome.response.status);
        out.name("replayed").boolean(outcome.replayed);
        out.name("body").raw(outcome.response.body);
        out.end_object();
    }
    out.end_array().end_object();
    return response;
}

void finish_one(const std::shared_ptr<Batch>& batch) {
    if (batch->left.fetch_sub(1) == 1) {
        batch->call.render([batch] { return render(*batch); });
    }
}

Result<ledger::Request, Problem> read_item(Value item, const Place& place) {
    Fields in(item, &place);
    const std::string_view word = in.word("kind");
    const CommandKind* kind = command_kind(word);
    if (kind == nullptr) {
        if (in.has("kind")) {
            in.refuse("kind", Code::unknown_kind, "there is no command of this kind");
        }
        return fail(*in.first_fault());
    }
    ledger::Command command = kind->read(in);
    std::optional<Key> key =
        kind->key_required ? in.key("idempotency_key") : in.optional_key("idempotency_key");
    return finish(in, std::move(command), std::move(key));
}

void run_batch(Service& service, Call call) {
    if (const auto problem = call.query.unknown()) {
        call.refuse(*problem);
        return;
    }
    const auto document = Document::parse(call.body);
    if (!document) {
        call.refuse(document.error());
        return;
    }
    Fields in(document->root());
    const auto commands = in.array("commands", 0, batch_bytes_max);
    if (const auto& problem = in.problem()) {
        call.refuse(*problem);
        return;
    }
    if (commands->size() > commands_max) {
        call.refuse({Code::payload_too_large, "a batch takes at most 10,000 commands", {}});
        return;
    }
    const auto batch = std::make_shared<Batch>(std::move(call), commands->size());
    std::vector<writer::Job> jobs;
    jobs.reserve(commands->size());
    const Place list{nullptr, "commands"};
    std::size_t index = 0;
    for (const Value item : commands->children()) {
        const std::size_t at = index++;
        auto request = read_item(item, Place{&list, {}, at});
        if (!request) {
            batch->outcomes[at] = std::move(request.error());
            finish_one(batch);
            continue;
        }
        jobs.push_back({std::move(*request), [batch, at](writer::Reply reply) {
                            batch->outcomes[at] = std::move(reply);
                            finish_one(batch);
                        }});
    }
    service.engine.submit(std::move(jobs));
    finish_one(batch);
}

}  // namespace

void add_batch_routes(std::vector<Route>& routes, Service& service) {
    routes.push_back(
        {Method::post, "/v1/batch", KeyRule::not_taken, batch_bytes_max, [&service](Call call) {
             run_batch(service, std::move(call));
         }});
}

}  // namespace passbook::http
