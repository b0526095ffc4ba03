// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/assert.h"
#include "engine/engine.h"
#include "passbook/ledger.h"

namespace passbook {
namespace {

using ledger::Command;
using Kind = Error::Kind;

template <class Name>
Name parsed(const std::string& text, std::string_view what) {
    auto name = Name::parse(text);
    if (!name) {
        throw Error(Kind::malformed, fmt::format("`{}` is no {}", text, what));
    }
    return *name;
}

AccountId account_id(const std::string& text) {
    return parsed<AccountId>(text, "account id");
}

std::optional<AssetCode> asset_code(const std::optional<std::string>& text) {
    if (!text) {
        return std::nullopt;
    }
    return parsed<AssetCode>(*text, "asset code");
}

EntryId entry_id(const std::string& text) {
    auto id = parse_entry_id(text);
    if (!id) {
        throw Error(Kind::malformed, fmt::format("`{}` is no id that this ledger makes", text));
    }
    return std::move(*id);
}

Command keyed(ledger::Action action, const std::string& key,
              const std::optional<std::string>& reason = {}) {
    return Command{
        .action = std::move(action), .key = parsed<Key>(key, "idempotency key"), .reason = reason};
}

template <class Action>
Command amount_command(const ask::Amount& ask) {
    const Action action{account_id(ask.account), ask.amount, asset_code(ask.asset)};
    Command command = keyed(action, ask.key, ask.reason);
    if (ask.effective_at) {
        command.effective_at = parse_instant(*ask.effective_at);
        if (!command.effective_at) {
            throw Error(Kind::malformed,
                        fmt::format("`{}` is no RFC 3339 time", *ask.effective_at));
        }
    }
    return command;
}

[[noreturn]] void throw_failure(FailureKind kind) {
    switch (kind) {
        case FailureKind::busy:
            throw Error(Kind::busy, "the ledger is busy");
        case FailureKind::unavailable:
            throw Error(Kind::unavailable, "the store is unavailable");
        case FailureKind::in_doubt:
            throw Error(Kind::outcome_unknown, "the outcome is unknown; the same key finds out");
        case FailureKind::broken:
            throw Error(Kind::broken, "the store is broken");
    }
    PASSBOOK_ASSERT(false);
    throw Error(Kind::broken, "");
}

[[noreturn]] void throw_rejection(const ledger::Rejection& rejection) {
    if (rejection.code == Code::idempotency_key_reused) {
        throw Error(Kind::key_reused, rejection.detail);
    }
    const bool missing = info(rejection.code).kind == CodeKind::not_found;
    throw Error(missing ? Kind::not_found : Kind::malformed, rejection.detail);
}

Line line_of(const ledger::Entry& entry) {
    Line line{.account = entry.account.text(),
              .seq = entry.seq,
              .kind = std::string(name_of(entry.kind)),
              .amount = entry.amount,
              .held_change = entry.held_change,
              .balance_after = entry.balance_after,
              .held_after = entry.held_after,
              .reason = entry.reason,
              .recorded_at = to_text(entry.recorded_at)};
    if (entry.effective_at) {
        line.effective_at = to_text(*entry.effective_at);
    }
    return line;
}

Receipt receipt_of(const ledger::Record& record) {
    const ledger::Entry& subject = record.subject();
    Receipt receipt{.account = subject.account.text(),
                    .amount = subject.amount,
                    .balance = subject.balance_after,
                    .held = subject.held_after,
                    .available = subject.balance_after - subject.held_after,
                    .seq = subject.seq};
    if (const auto id = transaction_of(subject)) {
        receipt.transaction = to_text(*id);
    }
    if (subject.kind == ledger::EntryKind::hold) {
        receipt.hold = to_text(subject.id());
    }
    for (const ledger::Entry& entry : record.entries) {
        receipt.lines.push_back(line_of(entry));
    }
    return receipt;
}

AccountState state_of(const ledger::Account& account, Amount due) {
    return AccountState{.id = account.id.text(),
                        .asset = account.asset.text(),
                        .status = std::string(name_of(account.status)),
                        .balance = account.balance,
                        .held = account.held - due,
                        .available = account.balance - (account.held - due),
                        .seq = account.seq,
                        .floor = account.limits.floor,
                        .ceiling = account.limits.ceiling};
}

}  // namespace

struct Ledger::Impl {
    explicit Impl(const std::string& url) : engine(engine::Options{.store = url}) {}

    ledger::Answer ask(Command command) {
        auto request = ledger::prepare(std::move(command));
        if (!request) {
            throw_rejection(request.error());
        }
        writer::Reply reply = engine.call(std::move(*request));
        if (const auto* kind = std::get_if<FailureKind>(&reply)) {
            throw_failure(*kind);
        }
        return std::get<ledger::Answer>(std::move(reply));
    }

    Outcome outcome(Command command) {
        const ledger::Answer answer = ask(std::move(command));
        if (const auto* rejection = std::get_if<ledger::Rejection>(&answer.body)) {
            throw_rejection(*rejection);
        }
        Outcome outcome{.replayed = answer.replayed};
        if (const auto* refusal = std::get_if<ledger::Refusal>(&answer.body)) {
            outcome.refused = Refused{std::string(name(refusal->code)), detail(*refusal)};
        } else {
            outcome.receipt = receipt_of(std::get<ledger::Record>(answer.body));
        }
        return outcome;
    }

    /// Runs one read and turns our failures into the public kind.
    template <class Read>
    auto read(Read&& run) {
        try {
            auto reader = engine.reader();
            try {
                return run(*reader);
            } catch (...) {
                reader.discard();
                throw;
            }
        } catch (const Failure& failure) {
            throw_failure(failure.kind());
        }
    }

    engine::Engine engine;
};

Ledger::Ledger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Ledger Ledger::open(const std::string& url) {
    try {
        return Ledger(std::make_unique<Impl>(url));
    } catch (const Failure& failure) {
        const bool later =
            failure.kind() == FailureKind::busy || failure.kind() == FailureKind::unavailable;
        throw Error(later ? Kind::unavailable : Kind::broken, failure.what());
    }
}

Outcome Ledger::grant(const ask::Amount& ask) {
    return impl_->outcome(amount_command<ledger::Grant>(ask));
}

Outcome Ledger::spend(const ask::Amount& ask) {
    return impl_->outcome(amount_command<ledger::Spend>(ask));
}

Outcome Ledger::transfer(const ask::Transfer& ask) {
    const ledger::Transfer transfer{account_id(ask.from), account_id(ask.to), ask.amount};
    return impl_->outcome(keyed(transfer, ask.key, ask.reason));
}

Outcome Ledger::transact(const ask::Transaction& ask) {
    ledger::Transact transact;
    for (const ask::Posting& posting : ask.postings) {
        transact.postings.push_back(
            {account_id(posting.account), posting.amount, asset_code(posting.asset)});
    }
    return impl_->outcome(keyed(std::move(transact), ask.key, ask.reason));
}

Outcome Ledger::reverse(const ask::Reversal& ask) {
    const ledger::Reverse reverse{entry_id(ask.transaction), ask.amount, {}};
    return impl_->outcome(keyed(reverse, ask.key, ask.reason));
}

Outcome Ledger::hold(const ask::Hold& ask) {
    const ledger::PlaceHold hold{account_id(ask.account), ask.amount, ask.expires_in};
    return impl_->outcome(keyed(hold, ask.key, ask.reason));
}

Outcome Ledger::commit(const ask::Commit& ask) {
    ledger::CommitHold commit{entry_id(ask.hold), ask.amount, {}};
    if (ask.to) {
        commit.to = account_id(*ask.to);
    }
    return impl_->outcome(keyed(commit, ask.key));
}

Outcome Ledger::void_hold(const ask::Void& ask) {
    return impl_->outcome(keyed(ledger::VoidHold{entry_id(ask.hold)}, ask.key));
}

AccountState Ledger::put_account(const ask::Account& ask) {
    const ledger::Answer answer =
        impl_->ask({.action = ledger::PutAccount{.account = account_id(ask.id),
                                                 .asset = asset_code(ask.asset),
                                                 .floor = ask.floor,
                                                 .ceiling = ask.ceiling}});
    if (const auto* rejection = std::get_if<ledger::Rejection>(&answer.body)) {
        throw_rejection(*rejection);
    }
    if (const auto* refusal = std::get_if<ledger::Refusal>(&answer.body)) {
        throw Error(Kind::malformed, detail(*refusal));
    }
    return state_of(std::get<ledger::Account>(std::get<ledger::PutDone>(answer.body).after), 0);
}

std::optional<AccountState> Ledger::account(const std::string& id) {
    const AccountId account = account_id(id);
    return impl_->read([&](store::Reader& reader) -> std::optional<AccountState> {
        const auto view = reader.account(account);
        if (!view) {
            return std::nullopt;
        }
        return state_of(view->account, view->due);
    });
}

std::vector<Line> Ledger::lines(const std::string& account, std::int64_t after_seq,
                                std::size_t limit) {
    const AccountId id = account_id(account);
    return impl_->read([&](store::Reader& reader) {
        std::vector<Line> lines;
        for (const auto& entry : reader.entries(id, after_seq, limit)) {
            lines.push_back(line_of(entry));
        }
        return lines;
    });
}

}  // namespace passbook
