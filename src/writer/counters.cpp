// SPDX-License-Identifier: Apache-2.0
#include "writer/counters.h"

#include "base/assert.h"

namespace passbook::writer {
namespace {

constexpr std::array<std::string_view, command_kinds> kinds{
    "grant", "spend",  "transfer", "transaction", "reverse",     "hold",     "commit",
    "void",  "freeze", "unfreeze", "close",       "put_account", "put_asset"};

CommandOutcome outcome_of(const Reply& reply) noexcept {
    const auto* answer = std::get_if<ledger::Answer>(&reply);
    if (answer == nullptr) {
        return CommandOutcome::failed;
    }
    if (std::holds_alternative<ledger::Refusal>(answer->body)) {
        return CommandOutcome::refused;
    }
    if (std::holds_alternative<ledger::Rejection>(answer->body)) {
        return CommandOutcome::rejected;
    }
    return CommandOutcome::accepted;
}

}  // namespace

void RetryCounts::add(const std::string& code) {
    const std::lock_guard lock(mutex_);
    ++by_code_[code.empty() ? "link" : code];  // where the link broke there is no code
}

std::map<std::string, std::uint64_t> RetryCounts::by_code() const {
    const std::lock_guard lock(mutex_);
    return by_code_;
}

std::uint64_t RetryCounts::deadlocks() const {
    std::uint64_t sum = 0;
    for (const auto& [code, count] : by_code()) {
        sum += code == "40P01" || code == "1213" ? count : 0;  // PostgreSQL's and MariaDB's
    }
    return sum;
}

std::size_t kind_index(const ledger::Action& action) noexcept {
    const std::string_view name = ledger::name_of(action);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] == name) {
            return i;
        }
    }
    PASSBOOK_ASSERT(false);
    return 0;
}

std::string_view kind_name(std::size_t index) noexcept {
    return kinds[index];
}

std::string_view name_of(CommandOutcome outcome) noexcept {
    switch (outcome) {
        case CommandOutcome::accepted:
            return "accepted";
        case CommandOutcome::refused:
            return "refused";
        case CommandOutcome::rejected:
            return "rejected";
        case CommandOutcome::failed:
            return "failed";
    }
    PASSBOOK_ASSERT(false);
    return "";
}

std::string_view name_of(Passage passage) noexcept {
    switch (passage) {
        case Passage::held:
            return "held";
        case Passage::bypassed:
            return "bypassed";
        case Passage::refused:
            return "refused";
    }
    PASSBOOK_ASSERT(false);
    return "";
}

void Counters::count(const ledger::Action& action, const Reply& reply) noexcept {
    const CommandOutcome outcome = outcome_of(reply);
    commands[kind_index(action)][static_cast<std::size_t>(outcome)].add();
    const auto* answer = std::get_if<ledger::Answer>(&reply);
    if (answer == nullptr) {
        return;
    }
    if (answer->replayed) {
        replays.add();
    } else if (outcome == CommandOutcome::refused) {
        refusals_stored.add();
    }
}

}  // namespace passbook::writer
