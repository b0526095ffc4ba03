// SPDX-License-Identifier: Apache-2.0
#include "cli/import_row.h"

#include <fmt/format.h>
#include <charconv>

#include "base/assert.h"
#include "cli/text.h"

namespace passbook::cli {
namespace {

constexpr std::array<std::string_view, columns> names{
    "idempotency_key", "account", "amount", "effective_at", "reason", "stated_balance", "asset"};

constexpr std::size_t required = 3;

class RowReader {
public:
    RowReader(const Header& header, const CsvRow& row) : header_(header), row_(row) {}

    Result<ImportRow, RowFault> read() {
        if (row_.fault) {
            return passbook::fail(RowFault{row_.line, 0, {}, *row_.fault});
        }
        if (row_.fields.size() != header_.width()) {
            return passbook::fail(RowFault{row_.line,
                                           0,
                                           {},
                                           fmt::format("it has {} fields where the header has {}",
                                                       row_.fields.size(), header_.width())});
        }
        const auto key = Key::parse(field(Column::idempotency_key));
        if (!key) {
            return fault(Column::idempotency_key,
                         "must be 1 to 128 visible ASCII characters other than \" and \\");
        }
        const auto account = AccountId::parse(field(Column::account));
        if (!account) {
            return fault(Column::account,
                         "must be 1 to 64 letters, digits or ._:@+-, and begin "
                         "with a letter or digit");
        }
        const auto amount = parse_amount(field(Column::amount));
        if (!amount || *amount == 0) {
            return fault(Column::amount,
                         fmt::format("must be an integer in the minor unit, not 0, within plus or "
                                     "minus {}",
                                     amount_max));
        }
        return labelled(*key, *account, *amount);
    }

private:
    Result<ImportRow, RowFault> labelled(const Key& key, const AccountId& account, Amount amount) {
        std::optional<AssetCode> asset;
        if (const std::string_view text = field(Column::asset); !text.empty()) {
            asset = AssetCode::parse(text);
            if (!asset) {
                return fault(Column::asset, "is no asset code");
            }
        }
        std::optional<Amount> stated_balance;
        if (const std::string_view text = field(Column::stated_balance); !text.empty()) {
            stated_balance = parse_amount(text);
            if (!stated_balance) {
                return fault(Column::stated_balance,
                             fmt::format("must be an integer within plus or minus {}", amount_max));
            }
        }
        ledger::Command command = amount > 0
                                      ? ledger::Command{ledger::Grant{account, amount, asset}}
                                      : ledger::Command{ledger::Spend{account, -amount, asset}};
        command.key = key;
        if (const std::string_view text = field(Column::effective_at); !text.empty()) {
            command.effective_at = parse_date(text);
            if (!command.effective_at) {
                command.effective_at = parse_instant(text);
            }
            if (!command.effective_at) {
                return fault(Column::effective_at, "must be YYYY-MM-DD or RFC 3339 with an offset");
            }
        }
        if (const std::string_view text = field(Column::reason); !text.empty()) {
            if (!is_text(text)) {
                return fault(Column::reason, "must be UTF-8 text");
            }
            if (text.size() > ledger::reason_bytes_max) {
                return fault(Column::reason,
                             fmt::format("must have at most {} bytes", ledger::reason_bytes_max));
            }
            command.reason = text;
        }
        auto request = ledger::prepare(std::move(command));
        if (!request) {
            return passbook::fail(RowFault{row_.line, 0, {}, request.error().detail});
        }
        return ImportRow{.line = row_.line,
                         .account = account,
                         .asset = asset,
                         .stated_balance = stated_balance,
                         .request = std::move(*request)};
    }

    [[nodiscard]] std::string_view field(Column column) const {
        const auto place = header_.place(column);
        return place ? std::string_view(row_.fields[*place]) : std::string_view();
    }

    [[nodiscard]] tl::unexpected<RowFault> fault(Column column, std::string_view must) const {
        return passbook::fail(RowFault{row_.line, *header_.place(column) + 1, name_of(column),
                                       fmt::format("{} {}", in_quotes(field(column)), must)});
    }

    const Header& header_;
    const CsvRow& row_;
};

}  // namespace

std::string_view name_of(Column column) noexcept {
    return names[static_cast<std::size_t>(column)];
}

Result<Header, std::string> Header::parse(const CsvRow& row) {
    if (row.fault) {
        return fail("the header is no CSV: " + *row.fault);
    }
    Header header;
    header.width_ = row.fields.size();
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
        const std::string& name = row.fields[i];
        if (name == rejected_line || name == rejected_because) {
            continue;
        }
        const auto known = std::find(names.begin(), names.end(), name);
        if (known == names.end()) {
            return fail(fmt::format("column {} is {}, which is none of {}", i + 1, in_quotes(name),
                                    fmt::join(names, ", ")));
        }
        auto& place = header.places_[static_cast<std::size_t>(known - names.begin())];
        if (place) {
            return fail(fmt::format("column {} stands twice", name));
        }
        place = i;
    }
    for (std::size_t i = 0; i < required; ++i) {
        if (!header.places_[i]) {
            return fail(fmt::format("column {} is missing", names[i]));
        }
    }
    return header;
}

std::string RowFault::text() const {
    if (column.empty()) {
        return what;
    }
    return fmt::format("column {} ({}): {}", field, column, what);
}

Result<ImportRow, RowFault> parse_row(const Header& header, const CsvRow& row) {
    return RowReader(header, row).read();
}

std::optional<Amount> parse_amount(std::string_view text) noexcept {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || (digits.size() > 1 && digits.front() == '0') || text == "-0") {
        return std::nullopt;
    }
    Amount amount = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error != std::errc() || end != text.data() + text.size() || !in_range(amount)) {
        return std::nullopt;
    }
    return amount;
}

}  // namespace passbook::cli
