// SPDX-License-Identifier: Apache-2.0
#include "ledger/entry.h"

#include <utility>

namespace passbook::ledger {
namespace {

constexpr std::array<std::pair<EntryKind, std::string_view>, 13> kinds{{
    {EntryKind::grant, "grant"},
    {EntryKind::spend, "spend"},
    {EntryKind::transfer, "transfer"},
    {EntryKind::transaction, "transaction"},
    {EntryKind::reverse, "reverse"},
    {EntryKind::hold, "hold"},
    {EntryKind::commit, "commit"},
    {EntryKind::void_hold, "void"},
    {EntryKind::expire, "expire"},
    {EntryKind::freeze, "freeze"},
    {EntryKind::unfreeze, "unfreeze"},
    {EntryKind::close, "close"},
    {EntryKind::limits, "limits"},
}};

}  // namespace

std::string_view name_of(EntryKind kind) noexcept {
    return kinds[static_cast<std::size_t>(kind) - 1].second;
}

std::optional<EntryKind> entry_kind_of(std::string_view name) noexcept {
    for (const auto& [kind, text] : kinds) {
        if (text == name) {
            return kind;
        }
    }
    return std::nullopt;
}

std::optional<EntryId> transaction_of(const Entry& entry) {
    if (entry.subject || !entry.request) {
        return entry.subject;
    }
    return entry.id();
}

}  // namespace passbook::ledger
