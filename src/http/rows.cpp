// SPDX-License-Identifier: Apache-2.0
#include "http/rows.h"

#include "base/assert.h"

namespace passbook::http {
namespace {

void write_limit(JsonWriter& out, std::string_view name, const std::optional<Amount>& limit) {
    out.name(name);
    if (limit) {
        out.number(*limit);
    } else {
        out.null();
    }
}

void write_transaction_id(JsonWriter& out, const ledger::Entry& entry) {
    out.name("transaction");
    if (const auto id = transaction_of(entry)) {
        out.text(to_text(*id));
    } else {
        out.null();
    }
}

/// The hold that an entry opens or ends.
std::optional<EntryId> hold_of(const ledger::Entry& entry) {
    if (entry.kind == ledger::EntryKind::hold) {
        return entry.id();
    }
    if (entry.held_change != 0 && entry.target) {
        return EntryId{entry.account, *entry.target};
    }
    return std::nullopt;
}

ledger::HoldStatus status_after(ledger::EntryKind kind) {
    using enum ledger::EntryKind;
    switch (kind) {
        case commit:
            return ledger::HoldStatus::committed;
        case void_hold:
            return ledger::HoldStatus::voided;
        case expire:
            return ledger::HoldStatus::expired;
        default:
            return ledger::HoldStatus::open;
    }
}

/// The hold as this entry left it.
void write_hold_after(JsonWriter& out, const ledger::Entry& entry, const EntryId& hold) {
    const bool opens = entry.kind == ledger::EntryKind::hold;
    out.begin_object();
    out.name("id").text(to_text(hold));
    out.name("account").text(entry.account.text());
    out.name("amount").number(opens ? entry.held_change : -entry.held_change);
    out.name("status").text(name_of(status_after(entry.kind)));
    if (entry.expires_at) {
        out.name("expires_at").text(to_text(*entry.expires_at));
    }
    out.end_object();
}

void write_labels(JsonWriter& out, const ledger::Entry& entry) {
    if (!entry.reason.empty()) {
        out.name("reason").text(entry.reason);
    }
    if (!entry.metadata.empty()) {
        out.name("metadata").raw(entry.metadata);
    }
    if (entry.effective_at) {
        out.name("effective_at").text(to_text(*entry.effective_at));
    }
    out.name("recorded_at").text(to_text(entry.recorded_at));
}

/// What every showing of an entry has.
void write_change(JsonWriter& out, const ledger::Entry& entry) {
    out.name("seq").number(entry.seq);
    out.name("kind").text(name_of(entry.kind));
    out.name("amount").number(entry.amount);
    out.name("held_change").number(entry.held_change);
    out.name("balance_after").number(entry.balance_after);
    out.name("held_after").number(entry.held_after);
    if (entry.reverses) {
        out.name("reverses").number(*entry.reverses);
    }
    if (entry.limits) {
        write_limit(out, "floor", entry.limits->floor);
        write_limit(out, "ceiling", entry.limits->ceiling);
    }
}

/// Format 1 of answers to writes. A change of what it shows is format 2, beside it.
void write_record_1(JsonWriter& out, const ledger::Record& record,
                    const std::vector<Amount>* reversed) {
    const ledger::Entry& subject = record.subject();
    out.begin_object();
    write_transaction_id(out, subject);
    out.name("kind").text(name_of(subject.kind));
    out.name("account").text(subject.account.text());
    out.name("amount").number(subject.amount);
    out.name("balance").number(subject.balance_after);
    out.name("held").number(subject.held_after);
    out.name("available").number(subject.balance_after - subject.held_after);
    out.name("seq").number(subject.seq);
    if (subject.kind == ledger::EntryKind::reverse && subject.target) {
        out.name("reverses").text(to_text(EntryId{subject.account, *subject.target}));
    }
    write_labels(out, subject);
    if (const auto hold = hold_of(subject)) {
        out.name("hold");
        write_hold_after(out, subject, *hold);
    }
    out.name("entries").begin_array();
    for (std::size_t i = 0; i < record.entries.size(); ++i) {
        out.begin_object();
        out.name("account").text(record.entries[i].account.text());
        write_change(out, record.entries[i]);
        if (reversed != nullptr) {
            out.name("reversed").number((*reversed)[i]);
        }
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

}  // namespace

void write_asset(JsonWriter& out, const ledger::Asset& asset) {
    out.begin_object();
    out.name("code").text(asset.code.text());
    out.name("scale").number(asset.scale);
    out.name("balanced").boolean(asset.balanced);
    out.name("open_on_first_credit").boolean(asset.open_on_first_credit);
    write_limit(out, "floor", asset.floor);
    write_limit(out, "ceiling", asset.ceiling);
    out.end_object();
}

void write_account(JsonWriter& out, const ledger::Account& account, Amount due) {
    const Amount held = account.held - due;
    out.begin_object();
    out.name("id").text(account.id.text());
    out.name("asset").text(account.asset.text());
    out.name("status").text(name_of(account.status));
    write_limit(out, "floor", account.limits.floor);
    write_limit(out, "ceiling", account.limits.ceiling);
    out.name("metadata").raw(account.metadata.empty() ? "{}" : account.metadata);
    out.name("balance").number(account.balance);
    out.name("held").number(held);
    out.name("available").number(account.balance - held);
    out.name("seq").number(account.seq);
    out.name("opened_at").text(to_text(account.opened_at));
    out.end_object();
}

void write_line(JsonWriter& out, const ledger::Entry& entry) {
    out.begin_object();
    write_change(out, entry);
    write_labels(out, entry);
    write_transaction_id(out, entry);
    if (const auto hold = hold_of(entry)) {
        out.name("hold").text(to_text(*hold));
    }
    out.end_object();
}

void write_record(JsonWriter& out, const ledger::Record& record,
                  const std::vector<Amount>* reversed) {
    const auto& request = record.subject().request;
    const int format = request ? request->format : ledger::answer_format;
    PASSBOOK_ASSERT(format == 1);
    write_record_1(out, record, reversed);
}

void write_hold(JsonWriter& out, const ledger::Hold& hold, Instant now) {
    const bool due = hold.status == ledger::HoldStatus::open && hold.expires_at <= now;
    const auto status = due ? ledger::HoldStatus::expired : hold.status;
    out.begin_object();
    out.name("id").text(to_text(hold.opened));
    out.name("account").text(hold.opened.account.text());
    out.name("amount").number(hold.amount);
    out.name("status").text(name_of(status));
    if (status == ledger::HoldStatus::committed) {
        out.name("committed").number(hold.committed);
    }
    out.name("expires_at").text(to_text(hold.expires_at));
    out.end_object();
}

}  // namespace passbook::http
