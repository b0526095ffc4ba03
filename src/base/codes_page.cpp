// SPDX-License-Identifier: Apache-2.0
#include "base/codes_page.h"

#include <fmt/format.h>

#include <string_view>

#include "base/codes.h"

namespace passbook {
namespace {

struct Chapter {
    CodeKind kind;
    std::string_view title;
    std::string_view text;
};

constexpr Chapter chapters[] = {
    {CodeKind::malformed, "Malformed requests",
     "The request itself is at fault. Nothing was looked at, nothing changed, and no key is "
     "burned: "
     "correct the request and send it with the same key."},
    {CodeKind::not_found, "Not found",
     "What the request names does not exist. Nothing changed and no key is burned."},
    {CodeKind::refusal, "Refusals",
     "A business \"no\". It is final: where the table says so, it is kept with the idempotency key "
     "and a repetition gets the same answer for as long as refusals are kept. To try again after "
     "the reason is gone, use a new key."},
    {CodeKind::conflict, "Conflicts", "The state of what the request names forbids it."},
    {CodeKind::failure, "Failures",
     "The fault is ours, not a decision about the request. Repeat it with the same key; after "
     "`outcome_unknown` the same key tells what happened."},
};

constexpr std::string_view opening = R"(# Problem codes

Every answer that is not a success is a problem document (RFC 9457, `application/problem+json`) with
a stable `code`. Match on `code`: titles and details are for people. Names and numbers of codes
never change. "Kept" says whether the answer is stored with the idempotency key and replayed for
ever.

```json
{"type":"/problems/insufficient_balance","title":"Insufficient balance","status":422,
 "code":"insufficient_balance","detail":"…","account":"alice"}
```
)";

}  // namespace

std::string codes_page() {
    std::string page(opening);
    for (const Chapter& chapter : chapters) {
        page += fmt::format("\n## {}\n\n{}\n\n", chapter.title, chapter.text);
        page +=
            "| code | number | status | kept | Retry-After | meaning "
            "|\n|---|---|---|---|---|---|\n";
        for (const CodeInfo& code : all_codes()) {
            if (code.kind == chapter.kind) {
                page += fmt::format(
                    "| `{}` | {} | {} | {} | {} | {} |\n", code.name,
                    static_cast<unsigned>(code.code), code.status, code.stored ? "yes" : "no",
                    code.retry_after_s > 0 ? fmt::format("{} s", code.retry_after_s) : "",
                    code.meaning);
            }
        }
    }
    return page;
}

}  // namespace passbook
