// SPDX-License-Identifier: Apache-2.0
// How a route that reads is made, and how lists are cut into pages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "http/api.h"
#include "http/json_writer.h"

namespace passbook::http {

/// What a read may use of its request, copied, because it runs on another thread.
struct ReadArguments {
    std::vector<std::string> ids;
    Query query;
};

using ReadHandler = Result<Response, Problem> (*)(Service&, store::Reader&, ReadArguments&);

/// A GET that is answered from the store. Handlers take the parameters they know; any other is
/// refused before the store is asked.
[[nodiscard]] Route read_route(Service& service, std::string_view pattern, ReadHandler handler);

/// The same, answered from a standby where there is one and the client says `stale_ok=true`.
[[nodiscard]] Route stale_read_route(Service& service, std::string_view pattern,
                                     ReadHandler handler);

/// Where a list goes on; `kind` keeps the cursors of different lists apart. Opaque to clients.
[[nodiscard]] std::string cursor_of(char kind, std::string_view position);
[[nodiscard]] Result<std::optional<std::string>, Problem> take_cursor(Query& query, char kind);

/// `{"data":[…],"next_cursor":…}` of rows of which one more than `limit` was asked for.
template <class Rows, class Write, class Position>
[[nodiscard]] Response page(const Rows& rows, std::size_t limit, char kind, Write write,
                            Position position) {
    Response response;
    JsonWriter out(response.body);
    out.begin_object().name("data").begin_array();
    const std::size_t count = std::min(limit, rows.size());
    for (std::size_t i = 0; i < count; ++i) {
        write(out, i);
    }
    out.end_array().name("next_cursor");
    if (rows.size() > limit) {
        out.text(cursor_of(kind, position(rows[count - 1])));
    } else {
        out.null();
    }
    out.end_object();
    return response;
}

/// A problem for what does not exist.
[[nodiscard]] Problem missing(Code code, std::string_view noun, std::string_view id);

/// The id of the path in its form, or why it is none.
[[nodiscard]] Result<AccountId, Problem> account_in_path(const ReadArguments& arguments);
[[nodiscard]] Result<EntryId, Problem> entry_in_path(const ReadArguments& arguments);

}  // namespace passbook::http
