// SPDX-License-Identifier: Apache-2.0
// What a person finds who opens the server in a browser, and what the `type` of a problem leads to.
#include <fmt/format.h>

#include "base/version.h"
#include "http/api.h"
#include "http/lists.h"

namespace passbook::http {
namespace {

constexpr std::string_view start_page = R"(<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Passbook</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{{font:1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}}
code{{background:#8882;padding:.1em .3em;border-radius:.2em}}</style></head>
<body>
<h1>Passbook {}</h1>
<p>A ledger for value that must never be wrong under concurrency.</p>
<ul>
<li><a href="/v1/accounts">/v1/accounts</a>: the accounts and their balances</li>
<li><a href="/v1/assets">/v1/assets</a>: the kinds of value they keep</li>
<li><a href="/problems">/problems</a>: every code of a problem, and what it means</li>
<li><a href="/readyz">/readyz</a>, <a href="/livez">/livez</a>: whether the server can work</li>
<li><a href="/metrics">/metrics</a>: what it has done, for Prometheus</li>
</ul>
<p>The passbook of an account: <code>GET /v1/accounts/NAME/entries</code></p>
</body>
</html>
)";

void write_code(JsonWriter& out, const CodeInfo& code) {
    out.begin_object();
    out.name("code").text(code.name);
    out.name("title").text(code.title);
    out.name("status").number(code.status);
    out.name("kind").text(name(code.kind));
    out.name("kept").boolean(code.stored);
    out.name("meaning").text(code.meaning);
    out.end_object();
}

void get_start(Call call) {
    Response response;
    response.media_type = "text/html; charset=utf-8";
    response.headers.emplace_back("Content-Security-Policy",
                                  "default-src 'none'; style-src 'unsafe-inline'");
    response.body = fmt::format(start_page, version());
    call.answer(std::move(response));
}

void list_problems(Call call) {
    Response response;
    JsonWriter out(response.body);
    out.begin_object().name("data").begin_array();
    for (const CodeInfo& code : all_codes()) {
        write_code(out, code);
    }
    out.end_array().name("next_cursor").null().end_object();
    call.answer(std::move(response));
}

void get_problem(Call call) {
    const auto code = code_named(call.ids.front());
    if (!code) {
        call.refuse({Code::not_found, "there is no problem of this code", {}});
        return;
    }
    Response response;
    JsonWriter out(response.body);
    write_code(out, info(*code));
    call.answer(std::move(response));
}

}  // namespace

void add_page_routes(std::vector<Route>& routes) {
    routes.push_back({Method::get, "/", KeyRule::ignored, 0, get_start});
    routes.push_back({Method::get, "/problems", KeyRule::ignored, 0, list_problems});
    routes.push_back({Method::get, "/problems/{code}", KeyRule::ignored, 0, get_problem});
}

}  // namespace passbook::http
