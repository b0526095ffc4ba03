// SPDX-License-Identifier: Apache-2.0
#include "lab/checker/history_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace passbook::lab::checker {
namespace {

using http::JsonType;
using http::Value;

std::optional<Value> field(Value object, std::string_view name) {
    for (const Value each : object.children()) {
        if (each.key() == name) {
            return each.type() == JsonType::null ? std::nullopt : std::optional(each);
        }
    }
    return std::nullopt;
}

std::int64_t number_of(Value value) {
    if (value.type() != JsonType::number || value.form() != http::NumberForm::whole) {
        throw BadLine(fmt::format("'{}' must be a whole number", value.key()));
    }
    return value.whole();
}

std::int64_t number(Value object, std::string_view name) {
    const auto found = field(object, name);
    if (!found) {
        throw BadLine(fmt::format("has no '{}'", name));
    }
    return number_of(*found);
}

std::int64_t number_or(Value object, std::string_view name, std::int64_t otherwise) {
    const auto found = field(object, name);
    return found ? number_of(*found) : otherwise;
}

/// Empty where there is none.
std::string_view text(Value object, std::string_view name) {
    const auto found = field(object, name);
    if (found && found->type() != JsonType::string) {
        throw BadLine(fmt::format("'{}' must be a text", name));
    }
    return found ? found->text() : std::string_view();
}

template <class Enum, std::size_t count>
Enum named(const std::array<std::string_view, count>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        throw BadLine(fmt::format("'{}' is not known here", name));
    }
    return static_cast<Enum>(found - names.begin());
}

constexpr std::array<std::string_view, 9> ops{
    "grant", "spend", "transfer", "transaction", "reverse", "hold", "commit", "void", "read"};
constexpr std::array<std::string_view, 10> kinds{"grant",   "spend", "transfer", "transaction",
                                                 "reverse", "hold",  "commit",   "void",
                                                 "expire",  "other"};

/// What the command asks of each account, and what it acts on.
void take_arguments(History& history, Call& call, Value arguments) {
    const std::int64_t amount = number_or(arguments, "amount", 0);
    const auto leg = [&](Id account, std::int64_t moved, std::int64_t held) {
        history.legs.push_back({account, moved, held});
    };
    switch (call.op) {
        case Op::grant:
            return leg(call.subject, amount, 0);
        case Op::spend:
            return leg(call.subject, -amount, 0);
        case Op::transfer:
            leg(call.subject, -amount, 0);
            return leg(history.names.id(text(arguments, "to")), amount, 0);
        case Op::transaction:
            if (const auto postings = field(arguments, "postings")) {
                for (const Value each : postings->children()) {
                    leg(history.names.id(text(each, "account")), number(each, "amount"), 0);
                }
            }
            return;
        case Op::hold:
            return leg(call.subject, 0, amount);
        case Op::commit:
            leg(call.subject, -amount, 0);
            if (field(arguments, "to")) {
                leg(history.names.id(text(arguments, "to")), amount, 0);
            }
            call.target = history.names.id(text(arguments, "hold"));
            return;
        case Op::void_hold:
            leg(call.subject, 0, 0);
            call.target = history.names.id(text(arguments, "hold"));
            return;
        case Op::reverse:
            leg(call.subject, amount, 0);
            call.target = history.names.id(text(arguments, "transaction"));
            return;
        case Op::read:
            return;
    }
}

}  // namespace

void HistoryReader::line(std::string_view text_of_line) {
    if (text_of_line.empty()) {
        return;
    }
    const auto document = http::Document::parse(text_of_line);
    if (!document) {
        throw BadLine(document.error().detail);
    }
    const Value event = document->root();
    const std::string_view what = event.type() == JsonType::object ? text(event, "ev") : "";
    if (what == "invoke") {
        invoke(event);
    } else if (what == "ok" || what == "fail" || what == "info") {
        answer(event, what == "ok" ? Verdict::ok : what == "fail" ? Verdict::fail : Verdict::info);
    } else if (what == "account" || what == "entry") {
        dump_row(event, what == "account");
    } else if (what != "fault") {
        throw BadLine("'ev' must be invoke, ok, fail, info, account, entry or fault");
    }
}

void HistoryReader::invoke(Value event) {
    Call call;
    call.invoked = static_cast<Time>(number(event, "t"));
    call.process = static_cast<std::uint32_t>(number(event, "p"));
    call.op = named<Op>(ops, text(event, "op"));
    call.subject = history_.names.id(text(event, "subject"));
    call.key = history_.names.id(text(event, "key"));
    if (call.op != Op::read && (call.subject == 0 || call.key == 0)) {
        throw BadLine("a write has a 'subject' and a 'key'");
    }
    call.legs_begin = static_cast<std::uint32_t>(history_.legs.size());
    if (const auto arguments = field(event, "args")) {
        take_arguments(history_, call, *arguments);
    }
    call.legs_end = static_cast<std::uint32_t>(history_.legs.size());
    const std::uint64_t own =
        (std::uint64_t{call.process} << 40U) | static_cast<std::uint64_t>(number(event, "i"));
    if (!open_.emplace(own, static_cast<std::uint32_t>(history_.calls.size())).second) {
        throw BadLine("is invoked twice");
    }
    history_.calls.push_back(call);
}

void HistoryReader::answer(Value event, Verdict verdict) {
    const std::uint64_t own = (static_cast<std::uint64_t>(number(event, "p")) << 40U) |
                              static_cast<std::uint64_t>(number(event, "i"));
    const auto found = open_.find(own);
    if (found == open_.end()) {
        throw BadLine("answers what was not invoked, or has its answer");
    }
    Call& call = history_.calls[found->second];
    open_.erase(found);
    call.verdict = verdict;
    call.returned = static_cast<Time>(number(event, "t"));
    call.code = history_.names.id(text(event, "code"));
    call.transaction = history_.names.id(text(event, "tx"));
    const std::string_view body = text(event, "body_sha");
    call.body = body.empty() ? 0 : std::hash<std::string_view>{}(body);
    call.seen_begin = static_cast<std::uint32_t>(history_.seen.size());
    if (const auto states = field(event, "acct")) {
        for (const Value each : states->children()) {
            history_.seen.push_back({history_.names.id(text(each, "id")), number(each, "seq"),
                                     number(each, "bal"), number_or(each, "held", 0)});
        }
    }
    call.seen_end = static_cast<std::uint32_t>(history_.seen.size());
}

Dump& HistoryReader::dump(std::int64_t number) {
    const auto [found, is_new] = dumps_.emplace(number, history_.dumps.size());
    if (is_new) {
        history_.dumps.emplace_back();
    }
    return history_.dumps[found->second];
}

void HistoryReader::dump_row(Value event, bool is_account) {
    Dump& rows = dump(number_or(event, "dump", 0));
    const auto id = [&](std::string_view name) {
        return history_.names.id(text(event, name));
    };
    if (is_account) {
        const auto floor = field(event, "floor");
        rows.accounts.push_back({.account = id("id"),
                                 .balance = number(event, "balance"),
                                 .held = number_or(event, "held", 0),
                                 .seq = number(event, "seq"),
                                 .floor = floor ? std::optional(number_of(*floor)) : std::nullopt,
                                 .balanced_asset = id("balanced_asset")});
        return;
    }
    rows.entries.push_back({.account = id("account"),
                            .kind = named<EntryKind>(kinds, text(event, "kind")),
                            .seq = number(event, "seq"),
                            .amount = number(event, "amount"),
                            .held_change = number_or(event, "held_change", 0),
                            .balance_after = number(event, "balance_after"),
                            .held_after = number_or(event, "held_after", 0),
                            .transaction = id("tx"),
                            .key = id("key"),
                            .hold = id("hold")});
}

History HistoryReader::finish() && {
    return std::move(history_);
}

}  // namespace passbook::lab::checker
