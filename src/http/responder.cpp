// SPDX-License-Identifier: Apache-2.0
#include "http/responder.h"

#include "base/assert.h"

namespace passbook::http {

Responder::~Responder() {
    if (sink_ != nullptr) {
        send(problem_response({Code::broken, "the server dropped the request unanswered", {}}));
    }
}

void Responder::send(Response response) {
    render([response = std::move(response)]() mutable { return std::move(response); });
}

void Responder::render(Rendering rendering) {
    PASSBOOK_ASSERT(sink_ != nullptr);
    std::exchange(sink_, nullptr)->answer(std::move(rendering));
}

}  // namespace passbook::http
