// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <libpq-fe.h>
#include <charconv>
#include <optional>

#include "store/postgres/connection.h"
#include "store/postgres/postgres_store.h"

namespace passbook::store::postgres {
namespace {

constexpr Oid numeric_type = 1700;

/// Also numeric, which is what sum() makes of bigint: it then has to be a whole number.
bool is_number(Oid type) {
    return type == static_cast<Oid>(Type::smallint) || type == static_cast<Oid>(Type::integer) ||
           type == static_cast<Oid>(Type::bigint) || type == numeric_type;
}

std::optional<std::int64_t> whole(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.begin(), text.end(), value);
    return read.ec == std::errc{} && read.ptr == text.end() ? std::optional(value) : std::nullopt;
}

class PostgresTables final : public Tables {
public:
    explicit PostgresTables(const std::string& url) : address_(url) {
        connect();
    }

    void query(std::string_view sql,
               const std::function<void(std::string_view, std::int64_t)>& row) override {
        if (!connection_ || !connection_->good()) {
            connect();
        }
        try {
            stream(std::string(sql), row);
        } catch (...) {
            // Rows may still be on their way, and the transaction is of no more use.
            connection_.reset();
            throw;
        }
    }

private:
    void connect() {
        connection_.emplace(address_, Purpose::tables);
        connection_->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    }

    void stream(const std::string& sql,
                const std::function<void(std::string_view, std::int64_t)>& row) {
        // One statement at most, which is what the extended protocol takes; texts come back.
        if (PQsendQueryParams(connection_->handle(), sql.c_str(), 0, nullptr, nullptr, nullptr,
                              nullptr, 0) == 0 ||
            PQsetSingleRowMode(connection_->handle()) == 0) {
            connection_->fail_lost(During::work);
        }
        std::int64_t number = 0;
        while (auto* taken = connection_->take(During::work)) {
            const Result result(taken);
            const auto status = PQresultStatus(taken);
            if (status == PGRES_EMPTY_QUERY) {
                throw Failure(FailureKind::broken, "the query is empty");
            }
            if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK &&
                status != PGRES_COMMAND_OK) {
                connection_->fail(taken, During::work);
            }
            if (result.columns() != 2) {
                throw Failure(
                    FailureKind::broken,
                    fmt::format("the query gives {} columns and must give id, integer: {}",
                                result.columns(), sql));
            }
            for (int i = 0; i < result.rows(); ++i) {
                hand_over(result, i, ++number, sql, row);
            }
        }
    }

    static void hand_over(const Result& result, int at, std::int64_t number, const std::string& sql,
                          const std::function<void(std::string_view, std::int64_t)>& row) {
        const Row values = result.row(at);
        const bool is_whole =
            !values.is_null(0) && !values.is_null(1) && is_number(PQftype(result.handle(), 1));
        const auto value = is_whole ? whole(values.text(1)) : std::nullopt;
        if (!value) {
            throw Failure(FailureKind::broken,
                          fmt::format("row {} is not (id, integer): {}", number, sql));
        }
        row(values.text(0), *value);
    }

    Address address_;
    std::optional<Connection> connection_;
};

}  // namespace

std::unique_ptr<Tables> open_tables(const std::string& url) {
    return std::make_unique<PostgresTables>(url);
}

}  // namespace passbook::store::postgres
