// SPDX-License-Identifier: Apache-2.0
#include "lab/checker/check.h"

#include <algorithm>

#include "lab/checker/index.h"

namespace passbook::lab::checker {
namespace {

struct NamedRule {
    Rule rule;
    std::string_view number;
    std::string_view name;
    std::vector<void (*)(const Index&, Findings&)> checks;
};

const std::vector<NamedRule>& rules() {
    static const std::vector<NamedRule> all{
        {Rule::exactly_once, "C1", "exactly once", {check_exactly_once}},
        {Rule::atomic, "C2", "atomic", {check_atomic}},
        {Rule::conservation, "C3", "conservation", {check_conservation}},
        {Rule::running_balance, "C4", "running balance", {check_running_balance}},
        {Rule::floor, "C5", "floor", {check_floor}},
        {Rule::refusals, "C6", "justified refusals", {check_refusals}},
        {Rule::real_time, "C7", "real time", {check_real_time, check_cycles}},
        {Rule::immutable, "C8", "immutable", {check_immutable}},
        {Rule::replay, "C9", "replay", {check_replay}},
        {Rule::holds, "C13", "holds", {check_holds}},
    };
    return all;
}

/// Something may have happened, and no later answer told what.
bool is_unresolved(const History& history, const Wish& wish) {
    return wish.told_by == Wish::none &&
           std::any_of(wish.calls.begin(), wish.calls.end(),
                       [&](std::uint32_t n) { return history.calls[n].verdict == Verdict::info; });
}

}  // namespace

std::string_view name_of(Rule rule) noexcept {
    return rules()[static_cast<std::size_t>(rule)].name;
}

std::string_view number_of(Rule rule) noexcept {
    return rules()[static_cast<std::size_t>(rule)].number;
}

Verification check(const History& history) {
    const Index index(history);
    Verification verification;
    verification.calls = history.calls.size();
    verification.entries = index.has_dump() ? history.dumps.back().entries.size() : 0;
    for (const Wish& wish : index.wishes()) {
        verification.unresolved += is_unresolved(history, wish) ? 1U : 0U;
    }
    for (const NamedRule& rule : rules()) {
        Findings findings(rule.rule);
        for (const auto& check_one : rule.checks) {
            check_one(index, findings);
        }
        std::move(findings).into(verification.findings);
    }
    return verification;
}

}  // namespace passbook::lab::checker
