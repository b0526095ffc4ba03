// SPDX-License-Identifier: Apache-2.0
#include "http/writes.h"

#include "base/assert.h"
#include "http/outcome.h"

namespace passbook::http {
namespace {

using ReadCommand = ledger::Command (*)(Fields&);

/// A call between its lane and its answer.
struct Pending {
    explicit Pending(Call of) : call(std::move(of)) {}

    Call call;
    std::optional<writer::Reply> reply;
};

Result<ledger::Request, Problem> read_body(Call& call, ReadCommand read,
                                           std::string_view path_field) {
    // A command that needs no field may come without a body; then nothing is in it.
    const auto document = Document::parse(call.body.empty() ? "{}" : call.body);
    if (!document) {
        return fail(document.error());
    }
    Fields in(document->root());
    if (!path_field.empty()) {
        in.preset(path_field, call.ids.front());
    }
    ledger::Command command = read(in);
    return finish(in, std::move(command), std::move(call.key));
}

Route write_route(Service& service, Method method, std::string_view pattern, KeyRule rule,
                  ReadCommand read, std::string_view path_field) {
    return {method, pattern, rule, body_bytes_max, [&service, read, path_field](Call call) {
                if (const auto problem = call.query.unknown()) {
                    call.refuse(*problem);
                    return;
                }
                auto request = read_body(call, read, path_field);
                if (!request) {
                    call.refuse(request.error());
                    return;
                }
                const auto pending = std::make_shared<Pending>(std::move(call));
                service.engine.submit(std::move(*request), [pending](writer::Reply reply) {
                    pending->reply = std::move(reply);
                    pending->call.render(
                        [pending] { return to_response(outcome_of(*pending->reply)); });
                });
            }};
}

}  // namespace

Route command_route(Service& service, std::string_view pattern, std::string_view kind,
                    std::string_view path_field) {
    const CommandKind* command = command_kind(kind);
    PASSBOOK_ASSERT(command != nullptr);
    const KeyRule rule = command->key_required ? KeyRule::required : KeyRule::optional;
    return write_route(service, Method::post, pattern, rule, command->read, path_field);
}

Route put_route(Service& service, std::string_view pattern, ledger::Command (*read)(Fields&),
                std::string_view path_field) {
    return write_route(service, Method::put, pattern, KeyRule::not_taken, read, path_field);
}

}  // namespace passbook::http
