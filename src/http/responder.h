// SPDX-License-Identifier: Apache-2.0
// The right and the duty to answer one request, once, from any thread.
#pragma once

#include <functional>
#include <memory>

#include "http/message.h"

namespace passbook::http {

/// Makes a response; called once, on the thread of the connection that writes it, so that the
/// thread that decided need not spend time on text.
using Rendering = std::function<Response()>;

/// What a responder completes. Any thread.
class ResponseSink {
public:
    virtual ~ResponseSink() = default;
    virtual void answer(Rendering rendering) = 0;
};

class Responder {
public:
    explicit Responder(std::shared_ptr<ResponseSink> sink) : sink_(std::move(sink)) {}
    Responder(Responder&&) = default;
    Responder& operator=(Responder&&) = delete;
    Responder(const Responder&) = delete;
    Responder& operator=(const Responder&) = delete;

    /// A request must never stay without an answer: one that is dropped answers `broken`.
    ~Responder();

    void send(Response response);
    void render(Rendering rendering);

private:
    std::shared_ptr<ResponseSink> sink_;
};

}  // namespace passbook::http
