// SPDX-License-Identifier: Apache-2.0
#include "audit/shape.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string_view>

namespace passbook::audit {
namespace {

using ledger::Entry;
using ledger::EntryKind;

enum class Sign { any, zero, positive, negative, not_zero };
enum class Part { never, may, must };

struct Shape {
    EntryKind kind;
    bool leg;  ///< On another account than the subject.
    Sign amount;
    Sign held_change;
    Part request;
    Part target;
    Part reverses;
    Part expires_at;
    Part limits;
};

using enum Sign;
using enum Part;

constexpr std::array shapes{
    Shape{EntryKind::grant, false, positive, zero, must, never, never, never, never},
    Shape{EntryKind::spend, false, negative, zero, must, never, never, never, never},
    Shape{EntryKind::transfer, false, negative, zero, must, never, never, never, never},
    Shape{EntryKind::transfer, true, positive, zero, never, never, never, never, never},
    Shape{EntryKind::transaction, false, not_zero, zero, must, never, never, never, never},
    Shape{EntryKind::transaction, true, not_zero, zero, never, never, never, never, never},
    Shape{EntryKind::reverse, false, any, zero, must, must, may, never, never},
    Shape{EntryKind::reverse, true, not_zero, zero, never, must, must, never, never},
    Shape{EntryKind::hold, false, zero, positive, must, never, never, must, never},
    Shape{EntryKind::commit, false, negative, negative, must, must, never, never, never},
    Shape{EntryKind::commit, true, positive, zero, never, must, never, never, never},
    Shape{EntryKind::void_hold, false, zero, negative, must, must, never, never, never},
    Shape{EntryKind::expire, false, zero, negative, never, must, never, never, never},
    Shape{EntryKind::freeze, false, zero, zero, may, never, never, never, never},
    Shape{EntryKind::unfreeze, false, zero, zero, may, never, never, never, never},
    Shape{EntryKind::close, false, zero, zero, may, never, never, never, never},
    Shape{EntryKind::limits, false, zero, zero, never, never, never, never, must},
};

bool fits(Sign sign, Amount amount) {
    switch (sign) {
        case any:
            return true;
        case zero:
            return amount == 0;
        case positive:
            return amount > 0;
        case negative:
            return amount < 0;
        case not_zero:
            return amount != 0;
    }
    return false;
}

std::string_view name_of(Sign sign) {
    switch (sign) {
        case any:
            return "any";
        case zero:
            return "0";
        case positive:
            return "positive";
        case negative:
            return "negative";
        case not_zero:
            return "not 0";
    }
    return "";
}

/// Nothing where the part is as it must be.
std::optional<std::string> part_fault(std::string_view name, Part part, bool present) {
    if (part == must && !present) {
        return fmt::format("with {}", name);
    }
    if (part == never && present) {
        return fmt::format("without {}", name);
    }
    return std::nullopt;
}

std::optional<std::string> parts_fault(const Shape& shape, const Entry& entry) {
    const std::array faults{
        part_fault("an idempotency key", shape.request, entry.request.has_value()),
        part_fault("a target", shape.target, entry.target.has_value()),
        part_fault("an entry that it reverses", shape.reverses, entry.reverses.has_value()),
        part_fault("a due time", shape.expires_at, entry.expires_at.has_value()),
        part_fault("limits", shape.limits, entry.limits.has_value()),
    };
    const auto found =
        std::find_if(faults.begin(), faults.end(), [](const auto& f) { return f.has_value(); });
    return found == faults.end() ? std::nullopt : *found;
}

}  // namespace

std::optional<std::string> shape_fault(const Entry& entry) {
    const bool leg = entry.subject.has_value();
    const auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const Shape& candidate) {
        return candidate.kind == entry.kind && candidate.leg == leg;
    });
    if (shape == shapes.end()) {
        return leg ? "on the subject's account alone" : "a known kind";
    }
    if (!fits(shape->amount, entry.amount)) {
        return fmt::format("amount {}", name_of(shape->amount));
    }
    if (!fits(shape->held_change, entry.held_change)) {
        return fmt::format("held_change {}", name_of(shape->held_change));
    }
    if (auto fault = parts_fault(*shape, entry)) {
        return fault;
    }
    if (entry.kind == EntryKind::reverse && (entry.amount != 0) != entry.reverses.has_value()) {
        return "an amount exactly where it reverses an entry";
    }
    if (entry.expires_at && *entry.expires_at <= entry.recorded_at) {
        return "a due time behind recorded_at";
    }
    if (entry.kind == EntryKind::commit && !leg && entry.amount < entry.held_change) {
        return "at most what was held";
    }
    return std::nullopt;
}

}  // namespace passbook::audit
