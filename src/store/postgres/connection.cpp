// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace passbook::store::postgres {
namespace {

constexpr int server_version_min = 130'000;

/// How long we wait for an answer. Longer than the server's own statement_timeout, so that its word
/// comes first; it ends what the server does not time, such as a COMMIT that waits for a standby.
std::chrono::milliseconds patience_for(Purpose purpose) {
    switch (purpose) {
        case Purpose::write:
            return std::chrono::seconds(15);
        case Purpose::read:
        case Purpose::stale:
            return std::chrono::seconds(90);
        case Purpose::manage:
        case Purpose::tables:
            break;
    }
    return std::chrono::milliseconds(0);
}

/// libpq's messages end in a line end and may have several lines.
std::string one_line(const char* message) {
    std::string text = message == nullptr ? "" : message;
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string field(const pg_result* result, int code) {
    const char* text = PQresultErrorField(result, code);
    return text == nullptr ? "" : text;
}

/// What an administrator has to do, where we know.
std::string_view cure_of(std::string_view sqlstate) {
    if (sqlstate == "42P01" || sqlstate == "3F000") {
        return "; create its tables with `passbook migrate --store URL`";
    }
    if (sqlstate == "42501") {
        return "; the role lacks a privilege: sql/postgres/roles.sql grants what a server needs";
    }
    return "";
}

/// Whether a row has the idempotency key of another.
bool is_unique_key(std::string_view state, std::string_view constraint) {
    return state == "23505" && (constraint == "entries_key" || constraint == "refusals_pkey");
}

void keep_warning(void* to, const PGresult* result) {
    if (field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "WARNING") {
        *static_cast<std::string*>(to) = one_line(PQresultErrorMessage(result));
    }
}

}  // namespace

// Row ---------------------------------------------------------------------------------------------

bool Row::is_null(int column) const {
    return PQgetisnull(result_, row_, column) != 0;
}

std::int64_t Row::integer(int column) const {
    const int size = PQgetlength(result_, row_, column);
    const char* bytes = PQgetvalue(result_, row_, column);
    PASSBOOK_ASSERT(size == 2 || size == 4 || size == 8);
    // Sign-extended from the first byte on.
    std::uint64_t value = (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? ~0ULL : 0ULL;
    for (int i = 0; i < size; ++i) {
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> Row::optional_integer(int column) const {
    return is_null(column) ? std::nullopt : std::optional(integer(column));
}

bool Row::boolean(int column) const {
    PASSBOOK_ASSERT(PQgetlength(result_, row_, column) == 1);
    return PQgetvalue(result_, row_, column)[0] != 0;
}

std::string_view Row::text(int column) const {
    return {PQgetvalue(result_, row_, column),
            static_cast<std::size_t>(PQgetlength(result_, row_, column))};
}

std::array<std::uint8_t, 16> Row::hash(int column) const {
    const std::string_view bytes = text(column);
    std::array<std::uint8_t, 16> hash{};
    if (bytes.size() != hash.size()) {
        throw Failure(FailureKind::broken, "a hash in the store is not 16 bytes long");
    }
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return hash;
}

Instant Row::instant(int column) const {
    return from_wire(integer(column));
}

std::optional<Instant> Row::optional_instant(int column) const {
    return is_null(column) ? std::nullopt : std::optional(instant(column));
}

// Result ------------------------------------------------------------------------------------------

int Result::rows() const {
    return PQntuples(result_.get());
}

int Result::columns() const {
    return PQnfields(result_.get());
}

std::int64_t Result::affected() const {
    const std::string_view text = PQcmdTuples(result_.get());
    std::int64_t count = 0;
    std::from_chars(text.begin(), text.end(), count);
    return count;
}

void Result::clear(pg_result* result) noexcept {
    PQclear(result);
}

// Connection --------------------------------------------------------------------------------------

Connection::Connection(const Address& address, Purpose purpose)
    : where_(address.describe()), patience_(patience_for(purpose)) {
    const auto parameters = address.parameters(purpose);
    std::vector<const char*> keywords;
    std::vector<const char*> values;
    for (const auto& [keyword, value] : parameters) {
        keywords.push_back(keyword.c_str());
        values.push_back(value.c_str());
    }
    keywords.push_back(nullptr);
    values.push_back(nullptr);
    handle_ = PQconnectdbParams(keywords.data(), values.data(), 0);
    if (handle_ == nullptr || PQstatus(handle_) != CONNECTION_OK) {
        const std::string what = one_line(PQerrorMessage(handle_));
        close();
        throw Failure(FailureKind::unavailable, fmt::format("cannot open {}: {}", where_, what));
    }
    if (PQserverVersion(handle_) < server_version_min) {
        const int version = PQserverVersion(handle_) / 10'000;
        close();
        throw Failure(FailureKind::broken,
                      fmt::format("{} is PostgreSQL {}; 13 or newer is needed", where_, version));
    }
    PQsetNoticeReceiver(handle_, keep_warning, &warning_);
}

Connection::~Connection() {
    close();
}

bool Connection::good() const noexcept {
    return handle_ != nullptr && PQstatus(handle_) == CONNECTION_OK;
}

bool Connection::in_transaction() const noexcept {
    if (!good()) {
        return false;
    }
    const auto status = PQtransactionStatus(handle_);
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool Connection::is_still_open() noexcept {
    while (good()) {
        pollfd socket{.fd = PQsocket(handle_), .events = POLLIN, .revents = 0};
        if (::poll(&socket, 1, 0) <= 0) {
            return true;
        }
        if (PQconsumeInput(handle_) == 0) {
            break;
        }
    }
    close();
    return false;
}

void Connection::run(const std::string& sql) {
    if (handle_ == nullptr || PQsendQuery(handle_, sql.c_str()) == 0) {
        fail_lost(During::work);
    }
    std::optional<Result> error;
    while (auto* result = take(During::work)) {
        Result owned(result);
        if (PQresultStatus(result) == PGRES_FATAL_ERROR && !error) {
            error = std::move(owned);
        }
    }
    if (error) {
        fail(error->handle(), During::work);
    }
}

void Connection::roll_back() noexcept {
    if (!in_transaction()) {
        return;
    }
    try {
        run("ROLLBACK");
    } catch (const Failure&) {
        close();
    }
}

void Connection::close() noexcept {
    PQfinish(std::exchange(handle_, nullptr));
    prepared_.clear();
}

pg_result* Connection::take(During during) {
    if (handle_ == nullptr) {
        fail_lost(during);
    }
    await(during);
    return PQgetResult(handle_);
}

void Connection::await(During during) {
    using Steady = std::chrono::steady_clock;
    const auto deadline = Steady::now() + patience_;
    while (PQisBusy(handle_) != 0) {
        int left = -1;
        if (patience_.count() > 0) {
            left = static_cast<int>(
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now())
                    .count());
            if (left <= 0) {
                close();
                throw_as(
                    meaning_of("", during),
                    fmt::format("{} did not answer within {} s", where_, patience_.count() / 1'000),
                    "");
            }
        }
        pollfd socket{.fd = PQsocket(handle_), .events = POLLIN, .revents = 0};
        ::poll(&socket, 1, left);
        if (PQconsumeInput(handle_) == 0) {
            return;  // the next result says what libpq knows
        }
    }
}

void Connection::fail(pg_result* result, During during) {
    const std::string state = field(result, PG_DIAG_SQLSTATE);
    const std::string what =
        fmt::format("{}: {}{}", where_, one_line(PQresultErrorMessage(result)), cure_of(state));
    const bool is_of_key = is_unique_key(state, field(result, PG_DIAG_CONSTRAINT_NAME));
    const Meaning meaning = is_of_key ? Meaning::key_used : meaning_of(state, during);
    const bool lost = !good() || state.empty();
    // Only what leaves a session as it was may go on with it.
    const bool is_plain =
        meaning == Meaning::conflict || meaning == Meaning::guard || meaning == Meaning::key_used;
    if (lost || state == "26000" || !is_plain) {
        close();
    }
    if (lost && meaning == Meaning::unavailable) {
        throw LinkLost(what, state);
    }
    throw_as(meaning, what, state);
}

void Connection::fail_lost(During during) {
    const std::string what = fmt::format(
        "{}: {}", where_,
        handle_ == nullptr ? "the connection is closed" : one_line(PQerrorMessage(handle_)));
    close();
    const Meaning meaning = meaning_of("", during);
    if (meaning == Meaning::unavailable) {
        throw LinkLost(what, "");
    }
    throw_as(meaning, what, "");
}

// Pipeline ----------------------------------------------------------------------------------------

Pipeline::Pipeline(Connection& connection) : connection_(connection) {
    connection_.warning_.clear();
    if (connection_.handle_ == nullptr || PQenterPipelineMode(connection_.handle_) == 0) {
        connection_.fail_lost(During::work);
    }
}

Pipeline::~Pipeline() {
    if (!finished_) {
        connection_.close();
    }
}

During Pipeline::during() const noexcept {
    if (at_commit_) {
        return During::commit;
    }
    return commit_queued_ ? During::with_commit : During::work;
}

void Pipeline::prepare(const Query& query) {
    if (connection_.prepared_.contains(&query) || !preparing_.insert(&query).second) {
        return;
    }
    if (PQsendPrepare(connection_.handle_, query.name.c_str(), query.sql.c_str(), 0, nullptr) ==
        0) {
        connection_.fail_lost(during());
    }
    expected_.push_back({&query, true});
}

void Pipeline::add(const Query& query, const Parameters& parameters) {
    prepare(query);
    std::vector<const char*> values;
    std::vector<int> lengths;
    for (const auto& value : parameters.values()) {
        values.push_back(value ? value->data() : nullptr);
        lengths.push_back(value ? static_cast<int>(value->size()) : 0);
    }
    const std::vector<int> formats(values.size(), 1);
    // From here on COMMIT may have left.
    commit_queued_ = commit_queued_ || query.commits;
    if (PQsendQueryPrepared(connection_.handle_, query.name.c_str(),
                            static_cast<int>(values.size()), values.data(), lengths.data(),
                            formats.data(), 1) == 0) {
        connection_.fail_lost(during());
    }
    expected_.push_back({&query, false});
}

void Pipeline::flush() {
    if (PQflush(connection_.handle_) < 0) {
        connection_.fail_lost(during());
    }
}

void Pipeline::sync() {
    if (PQpipelineSync(connection_.handle_) == 0) {
        connection_.fail_lost(during());
    }
}

Result Pipeline::next() {
    while (!expected_.empty()) {
        const Expected expected = expected_.front();
        expected_.pop_front();
        at_commit_ = expected.query->commits && !expected.prepares;
        Result result(take_checked());
        if (expected.prepares) {
            connection_.prepared_.insert(expected.query);
            continue;
        }
        if (at_commit_ && std::string_view(PQcmdStatus(result.handle())) != "COMMIT") {
            throw Failure(FailureKind::unavailable,
                          connection_.where_ + ": the transaction was rolled back");
        }
        if (at_commit_ && !connection_.warning_.empty()) {
            // A wait for the standby that somebody ended: it is written here, and may be lost.
            throw Failure(FailureKind::in_doubt,
                          fmt::format("{}: {}", connection_.where_, connection_.warning_));
        }
        return result;
    }
    PASSBOOK_ASSERT(false);
    return Result(nullptr);
}

/// One statement's result and the null behind it. An error ends the pipeline first, so that the
/// connection can roll back.
pg_result* Pipeline::take_checked() {
    Result result(connection_.take(during()));
    if (result.handle() == nullptr) {
        connection_.fail_lost(during());
    }
    const auto status = PQresultStatus(result.handle());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        skip_to_the_end();
        connection_.fail(result.handle(), during());
    }
    while (auto* more = connection_.take(during())) {
        PQclear(more);
    }
    return result.release();
}

void Pipeline::skip_to_the_end() noexcept {
    try {
        for (int nulls = 0; nulls < 2;) {
            const Result result(connection_.take(During::work));
            nulls = result.handle() == nullptr ? nulls + 1 : 0;
            if (result.handle() != nullptr &&
                PQresultStatus(result.handle()) == PGRES_PIPELINE_SYNC) {
                finished_ = PQexitPipelineMode(connection_.handle_) != 0;
                return;
            }
        }
    } catch (const Failure&) {
        finished_ = false;  // closed by now, which the destructor would do
    }
}

void Pipeline::finish() noexcept {
    PASSBOOK_ASSERT(expected_.empty());
    skip_to_the_end();
    if (!finished_) {
        connection_.close();
    }
    finished_ = true;
}

Result run_one(Connection& connection, const Query& query, const Parameters& parameters) {
    Pipeline pipeline(connection);
    pipeline.add(query, parameters);
    pipeline.sync();
    Result result = pipeline.next();
    pipeline.finish();
    return result;
}

}  // namespace passbook::store::postgres
