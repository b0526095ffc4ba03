// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <charconv>
#include <optional>

#include "store/mariadb/connection.h"
#include "store/mariadb/mariadb_store.h"

namespace passbook::store::mariadb {
namespace {

/// Also a decimal, which is what sum() makes of integers: it then has to be a whole number.
std::optional<std::int64_t> whole(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.begin(), text.end(), value);
    return read.ec == std::errc{} && read.ptr == text.end() ? std::optional(value) : std::nullopt;
}

class MariadbTables final : public Tables {
public:
    explicit MariadbTables(const std::string& url) : address_(url) {
        connect();
    }

    void query(std::string_view sql,
               const std::function<void(std::string_view, std::int64_t)>& row) override {
        if (!connection_ || !connection_->good()) {
            connect();
        }
        const std::string text(sql);
        std::int64_t number = 0;
        try {
            connection_->stream(text, 2, [&](const std::vector<TextCell>& cells) {
                ++number;
                const bool is_whole = !cells[0].is_null && !cells[1].is_null && cells[1].is_number;
                const auto value = is_whole ? whole(cells[1].text) : std::nullopt;
                if (!value) {
                    throw Failure(FailureKind::broken,
                                  fmt::format("row {} is not (id, integer): {}", number, text));
                }
                row(cells[0].text, *value);
            });
        } catch (...) {
            // The transaction is of no more use.
            connection_.reset();
            throw;
        }
    }

private:
    void connect() {
        connection_.emplace(address_, Purpose::tables);
        connection_->run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }

    Address address_;
    std::optional<Connection> connection_;
};

}  // namespace

std::unique_ptr<Tables> open_tables(const std::string& url) {
    return std::make_unique<MariadbTables>(url);
}

}  // namespace passbook::store::mariadb
