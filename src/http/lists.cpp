// SPDX-License-Identifier: Apache-2.0
#include "http/lists.h"

#include <fmt/format.h>

namespace passbook::http {

namespace {

void read_on(ReadPool& pool, Service& service, ReadHandler handler, Call call) {
    // Shared, because what a pool keeps must be copyable.
    const auto arguments =
        std::make_shared<ReadArguments>(ReadArguments{std::move(call.ids), std::move(call.query)});
    pool.read(std::move(call), [&service, handler, arguments](store::Reader& reader) {
        return handler(service, reader, *arguments);
    });
}

}  // namespace

Route read_route(Service& service, std::string_view pattern, ReadHandler handler) {
    return {Method::get, pattern, KeyRule::ignored, 0, [&service, handler](Call call) {
                read_on(service.reads, service, handler, std::move(call));
            }};
}

Route stale_read_route(Service& service, std::string_view pattern, ReadHandler handler) {
    return {Method::get, pattern, KeyRule::ignored, 0, [&service, handler](Call call) {
                const std::string stale_ok = call.query.take("stale_ok").value_or("false");
                if (stale_ok != "true" && stale_ok != "false") {
                    call.refuse({Code::invalid_parameter, "stale_ok must be true or false", {}});
                    return;
                }
                const bool stale = stale_ok == "true" && service.stale_reads != nullptr;
                read_on(stale ? *service.stale_reads : service.reads, service, handler,
                        std::move(call));
            }};
}

std::string cursor_of(char kind, std::string_view position) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(1, kind);
    for (const char c : position) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4U];
        text += digits[byte & 0xFU];
    }
    return text;
}

Result<std::optional<std::string>, Problem> take_cursor(Query& query, char kind) {
    const auto text = query.take("cursor");
    if (!text) {
        return std::nullopt;
    }
    std::string escaped;
    for (std::size_t i = 1; i < text->size(); i += 2) {
        escaped.append("%").append(text->substr(i, 2));
    }
    auto position = percent_decoded(escaped);
    if (text->size() < 3 || !position || cursor_of(kind, *position) != *text) {
        return fail(Problem{
            Code::invalid_cursor, "send back the next_cursor of this very list, unchanged", {}});
    }
    return position;
}

Problem missing(Code code, std::string_view noun, std::string_view id) {
    return {code, fmt::format("{} {} does not exist.", noun, id), {}};
}

Result<AccountId, Problem> account_in_path(const ReadArguments& arguments) {
    auto id = AccountId::parse(arguments.ids.front());
    if (!id) {
        return fail(
            Problem{Code::invalid_id,
                    fmt::format("the account in the path: {}", info(Code::invalid_id).meaning),
                    {}});
    }
    return std::move(*id);
}

Result<EntryId, Problem> entry_in_path(const ReadArguments& arguments) {
    auto id = parse_entry_id(arguments.ids.front());
    if (!id) {
        return fail(Problem{
            Code::invalid_id, fmt::format("the id in the path: it must be {}", entry_id_form), {}});
    }
    return std::move(*id);
}

}  // namespace passbook::http
