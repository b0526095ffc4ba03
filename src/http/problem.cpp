// SPDX-License-Identifier: Apache-2.0
#include "http/problem.h"

#include "http/json_writer.h"

namespace passbook::http {

std::string to_json(const Problem& problem) {
    const CodeInfo& code = info(problem.code);
    std::string body;
    body.reserve(192 + problem.detail.size());
    JsonWriter out(body);
    out.begin_object();
    out.name("type").text(std::string("/problems/").append(code.name));
    out.name("title").text(code.title);
    out.name("status").number(code.status);
    out.name("code").text(code.name);
    out.name("detail").text(problem.detail);
    if (!problem.account.empty()) {
        out.name("account").text(problem.account);
    }
    out.end_object();
    return body;
}

}  // namespace passbook::http
