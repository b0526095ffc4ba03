// SPDX-License-Identifier: Apache-2.0
#include "cli/store_line.h"

#include <fmt/format.h>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "base/sha256.h"
#include "cli/text.h"
#include "http/json_reader.h"
#include "http/json_writer.h"

namespace passbook::cli {
namespace {

using http::JsonType;
using http::JsonWriter;

std::int64_t signed_of(std::uint64_t count) {
    return static_cast<std::int64_t>(count);
}

/// Opens the object that says what the line is, and ends the line.
class LineWriter {
public:
    LineWriter(std::string& out, std::string_view what) : out_(out), json_(out) {
        json_.begin_object().name(what).begin_object();
    }
    ~LineWriter() {
        json_.end_object().end_object();
        out_ += '\n';
    }
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    void number(std::string_view name, std::int64_t number) {
        json_.name(name).number(number);
    }
    void text(std::string_view name, std::string_view text) {
        json_.name(name).text(text);
    }
    void boolean(std::string_view name, bool value) {
        json_.name(name).boolean(value);
    }
    void time(std::string_view name, const std::optional<Instant>& time) {
        if (time) {
            text(name, to_text(*time));
        }
    }
    void hash(std::string_view name, const ledger::Fingerprint& hash) {
        text(name, to_hex(hash.data(), hash.size()));
    }
    void optional_text(std::string_view name, const std::string& value) {
        if (!value.empty()) {
            text(name, value);
        }
    }
    void optional_number(std::string_view name, const std::optional<std::int64_t>& value) {
        if (value) {
            number(name, *value);
        }
    }
    /// Always there: a limit that is none is null.
    void limit(std::string_view name, const std::optional<Amount>& limit) {
        json_.name(name);
        limit ? json_.number(*limit) : json_.null();
    }
    void mark(const ledger::RequestMark& mark) {
        text("key", mark.key.text());
        hash("fingerprint", mark.fingerprint);
        number("format", mark.format);
    }
    /// As texts: they may pass the range of what JSON clients read exactly.
    void numbers(std::string_view name, const std::array<std::int64_t, 3>& numbers) {
        json_.name(name).begin_array();
        for (const std::int64_t number : numbers) {
            json_.text(std::to_string(number));
        }
        json_.end_array();
    }

private:
    std::string& out_;
    JsonWriter json_;
};

/// Takes the fields of one line by name. The first thing that is wrong is thrown: `parse_line` is
/// the only one to see it.
class LineReader {
public:
    explicit LineReader(const http::Value& object) : object_(object) {
        if (object.type() != JsonType::object) {
            throw std::invalid_argument("it is no object of one object");
        }
    }

    [[nodiscard]] std::int64_t number(std::string_view name) {
        const auto value = optional_number(name);
        return value ? *value : missing(name);
    }
    [[nodiscard]] std::optional<std::int64_t> optional_number(std::string_view name) {
        const auto value = take(name, JsonType::number);
        if (value && value->form() != http::NumberForm::whole) {
            wrong(name);
        }
        return value ? std::optional(value->whole()) : std::nullopt;
    }
    [[nodiscard]] std::string text(std::string_view name) {
        const auto value = take(name, JsonType::string);
        return value ? std::string(value->text()) : (missing(name), "");
    }
    [[nodiscard]] std::string optional_text(std::string_view name) {
        const auto value = take(name, JsonType::string);
        return value ? std::string(value->text()) : "";
    }
    [[nodiscard]] bool boolean(std::string_view name) {
        const auto value = take(name, JsonType::boolean);
        return value ? value->boolean() : missing(name) != 0;
    }
    [[nodiscard]] std::optional<Amount> limit(std::string_view name) {
        if (const auto value = find(name); value && value->type() == JsonType::null) {
            ++taken_;
            return std::nullopt;
        }
        return number(name);
    }
    [[nodiscard]] std::optional<Instant> optional_time(std::string_view name) {
        const std::string value = optional_text(name);
        if (value.empty()) {
            return std::nullopt;
        }
        const auto time = parse_instant(value);
        return time ? time : (wrong(name), time);
    }
    [[nodiscard]] Instant time(std::string_view name) {
        const auto time = optional_time(name);
        return time ? *time : Instant{missing(name)};
    }
    [[nodiscard]] ledger::Fingerprint hash(std::string_view name) {
        const std::string value = text(name);
        ledger::Fingerprint hash{};
        if (value.size() != 2 * hash.size()) {
            wrong(name);
        }
        for (std::size_t i = 0; i < hash.size(); ++i) {
            const char* begin = value.data() + 2 * i;
            const auto [end, error] = std::from_chars(begin, begin + 2, hash[i], 16);
            if (error != std::errc() || end != begin + 2) {
                wrong(name);
            }
        }
        return hash;
    }
    template <class Id>
    [[nodiscard]] Id id(std::string_view name) {
        const auto id = Id::parse(text(name));
        return id ? *id : (wrong(name), *id);
    }
    [[nodiscard]] int small(std::string_view name) {
        const std::int64_t value = number(name);
        if (value < 0 || value > std::numeric_limits<std::uint16_t>::max()) {
            wrong(name);
        }
        return static_cast<int>(value);
    }
    [[nodiscard]] ledger::RequestMark mark() {
        ledger::RequestMark mark{.key = id<Key>("key")};
        mark.fingerprint = hash("fingerprint");
        mark.format = small("format");
        return mark;
    }
    [[nodiscard]] std::array<std::int64_t, 3> numbers(std::string_view name) {
        const auto value = take(name, JsonType::array);
        std::array<std::int64_t, 3> numbers{};
        if (!value || value->size() != numbers.size()) {
            wrong(name);
        }
        std::size_t at = 0;
        for (const http::Value item : value->children()) {
            const std::string_view text = item.text();
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), numbers[at++]);
            if (item.type() != JsonType::string || error != std::errc() ||
                end != text.data() + text.size()) {
                wrong(name);
            }
        }
        return numbers;
    }
    [[nodiscard]] bool has(std::string_view name) const {
        return find(name).has_value();
    }

    /// To be called when all was taken.
    void finish() const {
        if (taken_ != object_.size()) {
            throw std::invalid_argument("it has a field that this release does not know");
        }
    }

private:
    [[nodiscard]] std::optional<http::Value> find(std::string_view name) const {
        for (const http::Value value : object_.children()) {
            if (value.key() == name) {
                return value;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<http::Value> take(std::string_view name, JsonType type) {
        const auto value = find(name);
        if (value && value->type() != type) {
            wrong(name);
        }
        taken_ += value ? 1U : 0U;
        return value;
    }

    [[noreturn]] static void wrong(std::string_view name) {
        throw std::invalid_argument(fmt::format("its field {} has no value of its kind", name));
    }
    [[noreturn]] static std::int64_t missing(std::string_view name) {
        throw std::invalid_argument(fmt::format("its field {} is missing", name));
    }

    http::Value object_;
    std::size_t taken_ = 0;
};

ExportBegin read_begin(LineReader& in) {
    return {.format = in.small("format"), .whole = in.boolean("whole")};
}

ledger::Asset read_asset(LineReader& in) {
    ledger::Asset asset{.code = in.id<AssetCode>("code")};
    asset.scale = in.small("scale");
    asset.balanced = in.boolean("balanced");
    asset.open_on_first_credit = in.boolean("open_on_first_credit");
    asset.floor = in.limit("floor");
    asset.ceiling = in.limit("ceiling");
    return asset;
}

ledger::Account read_account(LineReader& in) {
    ledger::Account account{.id = in.id<AccountId>("id"), .asset = in.id<AssetCode>("asset")};
    account.opened_at = in.time("opened_at");
    account.recorded_at = account.opened_at;
    account.opening_limits = {.floor = in.limit("floor"), .ceiling = in.limit("ceiling")};
    account.limits = account.opening_limits;
    account.metadata = in.optional_text("metadata");
    return account;
}

ledger::Entry read_entry(LineReader& in) {
    ledger::Entry entry{.account = in.id<AccountId>("account")};
    entry.seq = in.number("seq");
    const auto kind = ledger::entry_kind_of(in.text("kind"));
    if (!kind) {
        throw std::invalid_argument("its kind is none that this release knows");
    }
    entry.kind = *kind;
    entry.amount = in.number("amount");
    entry.held_change = in.number("held_change");
    entry.balance_after = in.number("balance_after");
    entry.held_after = in.number("held_after");
    entry.recorded_at = in.time("recorded_at");
    entry.effective_at = in.optional_time("effective_at");
    if (in.has("key")) {
        entry.request = in.mark();
    }
    if (in.has("subject")) {
        entry.subject = EntryId{in.id<AccountId>("subject"), in.number("subject_seq")};
    }
    entry.target = in.optional_number("target");
    entry.reverses = in.optional_number("reverses");
    entry.expires_at = in.optional_time("expires_at");
    if (in.has("floor")) {
        entry.limits = ledger::Limits{.floor = in.limit("floor"), .ceiling = in.limit("ceiling")};
    }
    entry.reason = in.optional_text("reason");
    entry.metadata = in.optional_text("metadata");
    return entry;
}

ledger::StoredRefusal read_refusal(LineReader& in) {
    AccountId subject = in.id<AccountId>("subject");
    ledger::RequestMark mark = in.mark();
    const auto code = code_named(in.text("code"));
    if (!code) {
        throw std::invalid_argument("its code is none that this release knows");
    }
    ledger::Refusal refusal{.code = *code};
    if (in.has("account")) {
        refusal.account = in.id<AccountId>("account");
    }
    refusal.numbers = in.numbers("numbers");
    return {.subject = std::move(subject),
            .request = std::move(mark),
            .refusal = std::move(refusal),
            .recorded_at = in.time("recorded_at")};
}

ExportEnd read_end(LineReader& in) {
    const auto count = [&](std::string_view name) {
        return static_cast<std::uint64_t>(in.number(name));
    };
    ExportEnd end;
    end.assets = count("assets");
    end.accounts = count("accounts");
    end.entries = count("entries");
    end.refusals = count("refusals");
    return end;
}

StoreLine read_line(const http::Value& line) {
    if (line.type() != JsonType::object || line.size() != 1) {
        throw std::invalid_argument("it is no object of one object");
    }
    const http::Value what = *line.children().begin();
    LineReader in(what);
    const auto whole = [&in](auto read) {
        in.finish();
        return StoreLine(std::move(read));
    };
    if (what.key() == "passbook_export") {
        return whole(read_begin(in));
    }
    if (what.key() == "asset") {
        return whole(read_asset(in));
    }
    if (what.key() == "account") {
        return whole(read_account(in));
    }
    if (what.key() == "entry") {
        return whole(read_entry(in));
    }
    if (what.key() == "refusal") {
        return whole(read_refusal(in));
    }
    if (what.key() == "end") {
        return whole(read_end(in));
    }
    throw std::invalid_argument(fmt::format("{} is no line of an export", in_quotes(what.key())));
}

}  // namespace

void append_line(std::string& out, const ExportBegin& begin) {
    LineWriter line(out, "passbook_export");
    line.number("format", begin.format);
    line.boolean("whole", begin.whole);
}

void append_line(std::string& out, const ledger::Asset& asset) {
    LineWriter line(out, "asset");
    line.text("code", asset.code.text());
    line.number("scale", asset.scale);
    line.boolean("balanced", asset.balanced);
    line.boolean("open_on_first_credit", asset.open_on_first_credit);
    line.limit("floor", asset.floor);
    line.limit("ceiling", asset.ceiling);
}

void append_line(std::string& out, const ledger::Account& account) {
    LineWriter line(out, "account");
    line.text("id", account.id.text());
    line.text("asset", account.asset.text());
    line.time("opened_at", account.opened_at);
    line.limit("floor", account.opening_limits.floor);
    line.limit("ceiling", account.opening_limits.ceiling);
    line.optional_text("metadata", account.metadata);
}

void append_line(std::string& out, const ledger::Entry& entry) {
    LineWriter line(out, "entry");
    line.text("account", entry.account.text());
    line.number("seq", entry.seq);
    line.text("kind", name_of(entry.kind));
    line.number("amount", entry.amount);
    line.number("held_change", entry.held_change);
    line.number("balance_after", entry.balance_after);
    line.number("held_after", entry.held_after);
    line.time("recorded_at", entry.recorded_at);
    line.time("effective_at", entry.effective_at);
    if (entry.request) {
        line.mark(*entry.request);
    }
    if (entry.subject) {
        line.text("subject", entry.subject->account.text());
        line.number("subject_seq", entry.subject->seq);
    }
    line.optional_number("target", entry.target);
    line.optional_number("reverses", entry.reverses);
    line.time("expires_at", entry.expires_at);
    if (entry.limits) {
        line.limit("floor", entry.limits->floor);
        line.limit("ceiling", entry.limits->ceiling);
    }
    line.optional_text("reason", entry.reason);
    line.optional_text("metadata", entry.metadata);
}

void append_line(std::string& out, const ledger::StoredRefusal& refusal) {
    LineWriter line(out, "refusal");
    line.text("subject", refusal.subject.text());
    line.mark(refusal.request);
    line.text("code", name(refusal.refusal.code));
    if (refusal.refusal.account) {
        line.text("account", refusal.refusal.account->text());
    }
    line.numbers("numbers", refusal.refusal.numbers);
    line.time("recorded_at", refusal.recorded_at);
}

void append_line(std::string& out, const ExportEnd& end) {
    LineWriter line(out, "end");
    line.number("assets", signed_of(end.assets));
    line.number("accounts", signed_of(end.accounts));
    line.number("entries", signed_of(end.entries));
    line.number("refusals", signed_of(end.refusals));
}

Result<StoreLine, std::string> parse_line(std::string_view line) {
    const auto document = http::Document::parse(line);
    if (!document) {
        return fail(document.error().detail);
    }
    try {
        return read_line(document->root());
    } catch (const std::invalid_argument& error) {
        return fail(std::string(error.what()));
    }
}

}  // namespace passbook::cli
