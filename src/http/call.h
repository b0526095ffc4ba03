// SPDX-License-Identifier: Apache-2.0
// One matched request on its way through a handler.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "http/responder.h"
#include "http/target.h"

namespace passbook::http {

struct Call {
    std::string_view route;
    std::vector<std::string> ids;  ///< From the path, decoded, in its order.
    Query query;
    std::optional<Key> key;
    std::string_view body;  ///< Valid only until the handler returns.
    Responder responder;

    void answer(Response response) {
        response.route = route;
        responder.send(std::move(response));
    }

    void refuse(const Problem& problem) {
        answer(problem_response(problem));
    }

    /// Has the response made on the connection's thread.
    void render(Rendering rendering) {
        responder.render([route = route, rendering = std::move(rendering)] {
            Response response = rendering();
            response.route = route;
            return response;
        });
    }
};

}  // namespace passbook::http
