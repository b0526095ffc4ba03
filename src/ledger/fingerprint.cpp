// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "base/sha256.h"
#include "ledger/request.h"

/// The canonical command: `kind` and then one field per line as `name=value`, in order of the
/// names. Values that may hold any character (reason, metadata) are preceded by their length in
/// bytes, so that no two commands read alike. Postings are `account amount asset`, in the order
/// sent.

namespace passbook::ledger {
namespace {

class Canonical {
public:
    explicit Canonical(std::string_view kind) : text_(kind) {
        text_ += '\n';
    }

    // Fields must be added in order of their names.
    void add(std::string_view name, std::string_view value) {
        text_.append(name).append("=").append(value).append("\n");
    }
    void add(std::string_view name, std::int64_t value) {
        add(name, std::to_string(value));
    }
    void add(std::string_view name, const AccountId& value) {
        add(name, value.text());
    }
    void add(std::string_view name, const AssetCode& value) {
        add(name, value.text());
    }
    void add(std::string_view name, const std::vector<Posting>& postings) {
        if (postings.empty()) {
            return;
        }
        std::string value;
        for (const Posting& posting : postings) {
            value.append(posting.account.text()).append(" ");
            value.append(std::to_string(posting.amount));
            if (posting.asset) {
                value.append(" ").append(posting.asset->text());
            }
            value.append(";");
        }
        add(name, value);
    }
    template <class T>
    void add(std::string_view name, const std::optional<T>& value) {
        if (value) {
            add(name, *value);
        }
    }
    void add_free(std::string_view name, const std::optional<std::string>& value) {
        if (value) {
            add(name, std::to_string(value->size()) + ":" + *value);
        }
    }
    void add_time(std::string_view name, const std::optional<Instant>& value) {
        if (value) {
            add(name, value->micros);
        }
    }

    [[nodiscard]] const std::string& text() const {
        return text_;
    }

private:
    std::string text_;
};

/// Every field that an action may have; those absent stay out of the canonical text.
struct Fields {
    std::optional<AccountId> account;
    std::optional<std::int64_t> amount;
    std::optional<AssetCode> asset;
    std::optional<std::int64_t> expires_in;
    std::optional<AccountId> from;
    std::optional<std::string> hold;
    std::vector<Posting> postings;
    std::optional<AccountId> to;
    std::optional<std::string> transaction;
};

void collect(const Grant& grant, Fields& fields) {
    fields.account = grant.account;
    fields.amount = grant.amount;
    fields.asset = grant.asset;
}
void collect(const Spend& spend, Fields& fields) {
    fields.account = spend.account;
    fields.amount = spend.amount;
    fields.asset = spend.asset;
}
void collect(const Transfer& transfer, Fields& fields) {
    fields.amount = transfer.amount;
    fields.from = transfer.from;
    fields.to = transfer.to;
}
void collect(const Transact& transact, Fields& fields) {
    fields.postings = transact.postings;
}
void collect(const Reverse& reverse, Fields& fields) {
    fields.amount = reverse.amount;
    fields.postings = reverse.postings;
    fields.transaction = to_text(reverse.transaction);
}
void collect(const PlaceHold& hold, Fields& fields) {
    fields.account = hold.account;
    fields.amount = hold.amount;
    fields.expires_in = hold.expires_in;
}
void collect(const CommitHold& commit, Fields& fields) {
    fields.amount = commit.amount;
    fields.hold = to_text(commit.hold);
    fields.to = commit.to;
}
void collect(const VoidHold& void_hold, Fields& fields) {
    fields.hold = to_text(void_hold.hold);
}
void collect(const SetStatus& set, Fields& fields) {
    fields.account = set.account;
}
void collect(const PutAccount&, Fields&) {}  // takes no key, so nothing compares it
void collect(const PutAsset&, Fields&) {}

}  // namespace

Fingerprint fingerprint(const Command& command) {
    Fields fields;
    std::visit([&](const auto& action) { collect(action, fields); }, command.action);
    Canonical canonical(name_of(command.action));
    canonical.add("account", fields.account);
    canonical.add("amount", fields.amount);
    canonical.add("asset", fields.asset);
    canonical.add_time("effective_at", command.effective_at);
    canonical.add("expires_in", fields.expires_in);
    canonical.add("from", fields.from);
    canonical.add("hold", fields.hold);
    canonical.add_free("metadata", command.metadata);
    canonical.add("postings", fields.postings);
    canonical.add_free("reason", command.reason);
    canonical.add("to", fields.to);
    canonical.add("transaction", fields.transaction);
    Fingerprint print{};
    const Sha256 digest = sha256(canonical.text());
    std::copy_n(digest.begin(), print.size(), print.begin());
    return print;
}

}  // namespace passbook::ledger
