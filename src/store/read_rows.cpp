// SPDX-License-Identifier: Apache-2.0
#include "store/read_rows.h"

#include <algorithm>

namespace passbook::store {

Originals::Subjects Originals::with_legs() const {
    using ledger::EntryKind;
    Subjects subjects;
    for (std::size_t place = 0; place < lines_.size(); ++place) {
        for (const auto& [entry, reversed] : lines_[place]) {
            if (entry.kind == EntryKind::transfer || entry.kind == EntryKind::transaction ||
                entry.kind == EntryKind::reverse || entry.kind == EntryKind::commit) {
                subjects.ids.push_back({entry.account, entry.seq});
                subjects.places.push_back(place);
            }
        }
    }
    return subjects;
}

std::vector<std::optional<ledger::Original>> Originals::take() && {
    std::vector<std::optional<ledger::Original>> originals(lines_.size());
    for (std::size_t place = 0; place < lines_.size(); ++place) {
        auto& lines = lines_[place];
        if (lines.empty()) {
            continue;
        }
        std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
            return std::pair(a.first.subject.has_value(), a.first.account) <
                   std::pair(b.first.subject.has_value(), b.first.account);
        });
        ledger::Original& original = originals[place].emplace();
        for (auto& [entry, reversed] : lines) {
            original.record.entries.push_back(std::move(entry));
            original.reversed.push_back(reversed);
        }
    }
    return originals;
}

}  // namespace passbook::store
