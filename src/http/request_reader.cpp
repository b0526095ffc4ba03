// SPDX-License-Identifier: Apache-2.0
#include "http/request_reader.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.h"
#include "http/target.h"

namespace passbook::http {
namespace {

namespace beast = boost::beast;
using ErrorCode = beast::error_code;

constexpr std::size_t buffer_bytes = 16 * 1024;
constexpr std::size_t body_step_bytes = 64 * 1024;

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

bool is_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Method method_of(beast::http::verb verb) {
    switch (verb) {
        case beast::http::verb::get:
            return Method::get;
        case beast::http::verb::head:
            return Method::head;
        case beast::http::verb::put:
            return Method::put;
        case beast::http::verb::post:
            return Method::post;
        default:
            return Method::other;
    }
}

std::string too_large_text(std::size_t bytes_max) {
    return "the body is over the " + std::to_string(bytes_max) + " bytes that this request takes";
}

/// Says in our words what the parser met; a client gets no text of a library.
std::string_view words_of(ErrorCode met) {
    using beast::http::error;
    if (met == error::bad_method || met == error::bad_target || met == error::bad_version) {
        return "the request line must be a method, a target and HTTP/1.1";
    }
    if (met == error::bad_field) {
        return "a header name holds a character that none may hold, or ends in white space";
    }
    if (met == error::bad_value) {
        return "a header value holds a control character";
    }
    if (met == error::bad_content_length || met == error::multiple_content_length) {
        return "Content-Length must stand once, in digits without a leading zero";
    }
    if (met == error::bad_transfer_encoding) {
        return "Content-Length and Transfer-Encoding must not stand together, nor either twice";
    }
    if (met == error::bad_chunk || met == error::bad_chunk_extension) {
        return "a chunk of the body has a wrong size line or end";
    }
    return "the request is not well-formed HTTP/1.1";
}

/// Beast's parser of one message, with our own rules on top of its.
class Parser final : public beast::http::basic_parser<true> {
public:
    Parser(Request& request, std::string& body) : request_(request), body_(body) {
        header_limit(static_cast<std::uint32_t>(head_bytes_max));
        body_limit(boost::none);  // checked here, when the route has said what it takes
        eager(true);
    }

    /// Why a callback stopped the parser; empty where the parser stopped by itself.
    [[nodiscard]] const std::optional<Problem>& refusal() const {
        return refusal_;
    }
    [[nodiscard]] bool version_1_0() const {
        return version_1_0_;
    }
    [[nodiscard]] bool expects_continue() const {
        return expects_continue_;
    }
    [[nodiscard]] std::optional<std::uint64_t> length() const {
        return length_;
    }

    void limit_chunks(std::size_t bytes_max) {
        chunks_max_ = bytes_max;
    }

private:
    void on_request_impl(beast::http::verb verb, beast::string_view name, beast::string_view target,
                         int version, ErrorCode& error) override;
    void on_response_impl(int, beast::string_view, int, ErrorCode&) override {}
    void on_field_impl(beast::http::field field, beast::string_view name, beast::string_view value,
                       ErrorCode& error) override;
    void on_header_impl(ErrorCode& error) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
    std::size_t on_body_impl(beast::string_view, ErrorCode&) override;
    void on_chunk_header_impl(std::uint64_t size, beast::string_view extension,
                              ErrorCode& error) override;
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view part, ErrorCode&) override;
    void on_finish_impl(ErrorCode&) override {}

    void take_length(std::string_view value, ErrorCode& error);
    void refuse(ErrorCode& error, Code code, std::string detail);

    Request& request_;
    std::string& body_;
    std::array<Header, head_fields_max> fields_;
    std::size_t field_count_ = 0;
    std::size_t hosts_ = 0;
    std::optional<std::uint64_t> length_;
    std::size_t chunks_max_ = 0;
    std::optional<Problem> refusal_;
    bool coded_ = false;
    bool version_1_0_ = false;
    bool expects_continue_ = false;
    bool in_trailer_ = false;
};

void Parser::refuse(ErrorCode& error, Code code, std::string detail) {
    refusal_ = Problem{code, std::move(detail), {}};
    error = beast::http::error::bad_value;  // any error stops the parser; ours is in refusal_
}

void Parser::on_request_impl(beast::http::verb verb, beast::string_view name,
                             beast::string_view target, int version, ErrorCode& error) {
    request_.method = method_of(verb);
    request_.method_name = view(name);
    version_1_0_ = version == 10;
    if (target.size() > target_bytes_max) {
        refuse(error, Code::uri_too_long, "the request target is longer than 4096 bytes");
    } else if (!split_target(view(target), request_)) {
        refuse(error, Code::malformed_request,
               "the request target is not a path: send visible ASCII that begins with /");
    }
}

void Parser::take_length(std::string_view value, ErrorCode& error) {
    const bool plain = is_digits(value) && value.size() < 19 && (value == "0" || value[0] != '0');
    if (length_ || !plain) {
        refuse(error, Code::malformed_request,
               "Content-Length must stand once, in digits without a leading zero");
        return;
    }
    length_ = std::stoull(std::string(value));
}

void Parser::on_field_impl(beast::http::field field, beast::string_view name,
                           beast::string_view value, ErrorCode& error) {
    using Field = beast::http::field;
    if (in_trailer_) {
        return;  // a trailer may say nothing that matters
    }
    if (field_count_ == fields_.size()) {
        return refuse(error, Code::headers_too_large, "there are more than 64 header lines");
    }
    fields_[field_count_++] = Header{view(name), view(value)};
    switch (field) {
        case Field::content_length:
            return take_length(view(value), error);
        case Field::transfer_encoding:
            if (coded_ || version_1_0_ || !equal_ignoring_case(view(value), "chunked")) {
                return refuse(error, Code::malformed_request,
                              "Transfer-Encoding may only be chunked, once, in HTTP/1.1");
            }
            coded_ = true;
            return;
        case Field::host:
            if (++hosts_ > 1 || !is_host(view(value))) {
                return refuse(error, Code::malformed_request,
                              "Host must stand once and be a name with an optional port");
            }
            return;
        case Field::expect:
            if (!equal_ignoring_case(view(value), "100-continue")) {
                return refuse(error, Code::expectation_failed, "Expect takes only 100-continue");
            }
            expects_continue_ = !version_1_0_;
            return;
        default:
            return;
    }
}

void Parser::on_header_impl(ErrorCode& error) {
    in_trailer_ = true;
    request_.headers = {fields_.data(), field_count_};
    if (hosts_ == 0 && !version_1_0_) {
        refuse(error, Code::malformed_request, "the header Host is missing");
    }
}

std::size_t Parser::on_body_impl(beast::string_view, ErrorCode&) {
    PASSBOOK_ASSERT(false);  // a body of known length never passes through the parser
    return 0;
}

void Parser::on_chunk_header_impl(std::uint64_t size, beast::string_view extension,
                                  ErrorCode& error) {
    const auto plain = [](char c) {
        return c == '\t' || (c >= 0x20 && c < 0x7F);
    };
    if (!std::all_of(extension.begin(), extension.end(), plain)) {
        refuse(error, Code::malformed_request, "a chunk extension holds a control character");
    } else if (size > chunks_max_ - body_.size()) {
        refuse(error, Code::payload_too_large, too_large_text(chunks_max_));
    }
}

std::size_t Parser::on_chunk_body_impl(std::uint64_t, beast::string_view part, ErrorCode&) {
    body_.append(part.data(), part.size());
    return part.size();
}

}  // namespace

class RequestReader::Impl {
public:
    std::span<char> room();
    void received(std::size_t bytes);
    Progress advance();
    void take_body(std::size_t bytes_max);
    void next();

    [[nodiscard]] const Request& request() const {
        return request_;
    }
    [[nodiscard]] const Parser& parser() const {
        return *parser_;
    }
    [[nodiscard]] const Problem& problem() const {
        return problem_;
    }
    [[nodiscard]] bool idle() const {
        return stage_ == Stage::head && begin_ == end_;
    }
    [[nodiscard]] bool at_body_start() const {
        return body_at_ == end_;
    }

private:
    enum class Stage : std::uint8_t { head, admission, sized_body, chunked_body, complete };

    Progress advance_head();
    Progress scan_lines(std::size_t& head_size);
    Progress parse_head(std::size_t head_size);
    Progress advance_sized();
    Progress advance_chunked();
    Progress finish();
    Progress refuse(Code code, std::string detail);
    Progress refuse_parsed(ErrorCode error);

    std::vector<char> buffer_ = std::vector<char>(buffer_bytes);
    std::size_t begin_ = 0;    // of the current message
    std::size_t scanned_ = 0;  // how far its lines were looked at, from begin_
    std::size_t line_ = 0;     // where the line being looked at begins, from begin_
    std::size_t base_ = 0;     // where the head ends
    std::size_t body_at_ = 0;  // what follows the head, not yet consumed
    std::size_t end_ = 0;      // of all bytes received
    Stage stage_ = Stage::head;
    bool skipped_line_ = false;
    Request request_;
    std::string body_;
    std::size_t body_max_ = 0;
    std::size_t body_size_ = 0;  // how much of a body of known length has arrived
    std::optional<Parser> parser_;
    Problem problem_{Code::malformed_request, {}, {}};
};

std::span<char> RequestReader::Impl::room() {
    if (stage_ == Stage::sized_body) {
        const std::size_t left = static_cast<std::size_t>(*parser_->length()) - body_size_;
        const std::size_t step = std::min(left, std::max(body_step_bytes, body_size_));
        if (body_.size() < body_size_ + step) {
            body_.resize(body_size_ + step);
        }
        return {body_.data() + body_size_, step};
    }
    return {buffer_.data() + end_, buffer_.size() - end_};
}

void RequestReader::Impl::received(std::size_t bytes) {
    if (stage_ == Stage::sized_body) {
        body_size_ += bytes;
    } else {
        end_ += bytes;
    }
}

RequestReader::Progress RequestReader::Impl::refuse(Code code, std::string detail) {
    problem_ = Problem{code, std::move(detail), {}};
    return Progress::refused;
}

RequestReader::Progress RequestReader::Impl::refuse_parsed(ErrorCode error) {
    if (parser_->refusal()) {
        problem_ = *parser_->refusal();
        return Progress::refused;
    }
    return refuse(Code::malformed_request, std::string(words_of(error)));
}

RequestReader::Progress RequestReader::Impl::advance() {
    switch (stage_) {
        case Stage::head:
            return advance_head();
        case Stage::admission:
            return Progress::head;
        case Stage::sized_body:
            return advance_sized();
        case Stage::chunked_body:
            return advance_chunked();
        case Stage::complete:
            return Progress::message;
    }
    PASSBOOK_ASSERT(false);
    return Progress::refused;
}

/// Looks at the lines without parsing them, so that a head that can only be refused is refused at
/// its first bad line and not when its deadline has passed.
RequestReader::Progress RequestReader::Impl::scan_lines(std::size_t& head_size) {
    const char* head = buffer_.data() + begin_;
    const std::size_t size = std::min(end_ - begin_, head_bytes_max);
    while (scanned_ < size) {
        const void* found = std::memchr(head + scanned_, '\n', size - scanned_);
        if (found == nullptr) {
            scanned_ = size;
            break;
        }
        const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - head);
        if (at == 0 || head[at - 1] != '\r') {
            return refuse(Code::malformed_request, "every line of the head must end with CR LF");
        }
        if (at - line_ == 1) {
            head_size = at + 1;
            return Progress::head;
        }
        if (line_ > 0 && (head[line_] == ' ' || head[line_] == '\t')) {
            return refuse(Code::malformed_request, "a header line must not be folded");
        }
        scanned_ = line_ = at + 1;
    }
    if (size < head_bytes_max) {
        return Progress::more;
    }
    if (line_ == 0) {
        return refuse(Code::uri_too_long, "the request line is longer than 8 KiB");
    }
    return refuse(Code::headers_too_large, "the request line and headers are over 8 KiB");
}

RequestReader::Progress RequestReader::Impl::advance_head() {
    // RFC 9112 section 2.2: an empty line before the request line is skipped.
    if (!skipped_line_ && end_ - begin_ >= 2 &&
        std::memcmp(buffer_.data() + begin_, "\r\n", 2) == 0) {
        begin_ += 2;
        scanned_ = line_ = 0;
        skipped_line_ = true;
    }
    std::size_t head_size = 0;
    const Progress progress = scan_lines(head_size);
    return progress == Progress::head ? parse_head(head_size) : progress;
}

RequestReader::Progress RequestReader::Impl::parse_head(std::size_t head_size) {
    parser_.emplace(request_, body_);
    ErrorCode error;
    parser_->put({buffer_.data() + begin_, head_size}, error);
    if (error) {
        return refuse_parsed(error);
    }
    base_ = body_at_ = begin_ + head_size;
    if (parser_->is_done()) {
        return finish();
    }
    stage_ = Stage::admission;
    return Progress::head;
}

void RequestReader::Impl::take_body(std::size_t bytes_max) {
    PASSBOOK_ASSERT(stage_ == Stage::admission);
    body_max_ = bytes_max;
    if (!parser_->length()) {
        parser_->limit_chunks(bytes_max);
        stage_ = Stage::chunked_body;
        return;
    }
    stage_ = Stage::sized_body;
    body_size_ = std::min(static_cast<std::size_t>(*parser_->length()), end_ - body_at_);
    body_.assign(buffer_.data() + body_at_, body_size_);
    body_at_ += body_size_;
}

RequestReader::Progress RequestReader::Impl::advance_sized() {
    const auto length = static_cast<std::size_t>(*parser_->length());
    if (length > body_max_) {
        return refuse(Code::payload_too_large, too_large_text(body_max_));
    }
    if (body_size_ < length) {
        return Progress::more;
    }
    body_.resize(body_size_);
    return finish();
}

RequestReader::Progress RequestReader::Impl::advance_chunked() {
    ErrorCode error;
    // Every unfinished chunked body has at least the five bytes of an empty last chunk to come, and
    // Beast's parser asserts, wrongly, that it is never called with fewer once it has seen the
    // zero.
    constexpr std::size_t last_chunk_bytes = 5;
    if (end_ - body_at_ >= last_chunk_bytes) {
        body_at_ += parser_->put({buffer_.data() + body_at_, end_ - body_at_}, error);
    }
    if (error && error != beast::http::error::need_more) {
        return refuse_parsed(error);
    }
    if (parser_->is_done()) {
        return finish();
    }
    // What is left is the beginning of a chunk's line or of the trailer: it moves back to the head.
    std::memmove(buffer_.data() + base_, buffer_.data() + body_at_, end_ - body_at_);
    end_ = base_ + (end_ - body_at_);
    body_at_ = base_;
    if (end_ == buffer_.size()) {
        return refuse(Code::malformed_request, "a chunk's line or the trailer is too long");
    }
    return Progress::more;
}

RequestReader::Progress RequestReader::Impl::finish() {
    request_.body = body_;
    stage_ = Stage::complete;
    return Progress::message;
}

void RequestReader::Impl::next() {
    std::memmove(buffer_.data(), buffer_.data() + body_at_, end_ - body_at_);
    end_ -= body_at_;
    begin_ = scanned_ = line_ = base_ = body_at_ = body_size_ = 0;
    skipped_line_ = false;
    if (body_.capacity() > body_step_bytes) {
        body_ = std::string();  // an idle connection keeps no large body
    }
    body_.clear();
    request_ = Request();
    parser_.reset();
    stage_ = Stage::head;
}

RequestReader::RequestReader() : impl_(std::make_unique<Impl>()) {}
RequestReader::~RequestReader() = default;

std::span<char> RequestReader::room() {
    return impl_->room();
}

void RequestReader::received(std::size_t bytes) {
    impl_->received(bytes);
}

RequestReader::Progress RequestReader::advance() {
    return impl_->advance();
}

void RequestReader::take_body(std::size_t bytes_max) {
    impl_->take_body(bytes_max);
}

void RequestReader::next() {
    impl_->next();
}

const Request& RequestReader::request() const noexcept {
    return impl_->request();
}

bool RequestReader::keep_alive() const noexcept {
    return impl_->parser().keep_alive();
}

bool RequestReader::http_1_0() const noexcept {
    return impl_->parser().version_1_0();
}

std::optional<std::uint64_t> RequestReader::body_length() const noexcept {
    return impl_->parser().length();
}

bool RequestReader::expects_continue() const noexcept {
    return impl_->parser().expects_continue() && impl_->at_body_start();
}

const Problem& RequestReader::problem() const noexcept {
    return impl_->problem();
}

bool RequestReader::idle() const noexcept {
    return impl_->idle();
}

}  // namespace passbook::http
