// SPDX-License-Identifier: Apache-2.0
#include "lab/probe/judgement.h"

#include <fmt/format.h>
#include <algorithm>

namespace passbook::lab::probe {
namespace {

/// How many requests took effect: at least and at most.
struct Effects {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

Effects effects_of(Keys keys, const Counts& counts) {
    if (keys == Keys::different) {
        return {counts.accepted, counts.accepted + counts.unknown};
    }
    if (counts.accepted > 0) {
        return {1, 1};
    }
    return {0, counts.unknown > 0 ? 1 : 0};
}

/// How many spends the balance has room for; nothing where it has room for any number.
std::optional<Total> room(const Terms& terms) {
    if (terms.amount < 0 || !terms.floor) {
        return std::nullopt;
    }
    return std::max<Total>(0, (Total{terms.start} - *terms.floor) / terms.amount);
}

Text against(const Judgement& judgement, Amount balance) {
    if (judgement.least == judgement.most) {
        return say("the balance is {}, and should be {}", "잔액은 {}인데 {}이어야 한다", balance,
                   judgement.most);
    }
    return say("the balance is {}, and should be {} to {}", "잔액은 {}인데 {}~{}이어야 한다",
               balance, judgement.least, judgement.most);
}

}  // namespace

Judgement judge(const Terms& terms, const Counts& counts, Amount balance) {
    const Effects effects = effects_of(terms.keys, counts);
    const Total one_end = Total{terms.start} - Total{terms.amount} * effects.least;
    const Total other_end = Total{terms.start} - Total{terms.amount} * effects.most;
    Judgement judgement{.least = std::min(one_end, other_end),
                        .most = std::max(one_end, other_end)};
    const auto found = [&](Verdict verdict, Text why) {
        judgement.verdict = verdict;
        judgement.why = std::move(why);
        return judgement;
    };
    const auto covered = room(terms);
    if (covered && effects.least > *covered) {
        return found(Verdict::made,
                     say("{} were accepted, and there was enough for {}",
                         "{}건을 승인했는데 잔액은 {}건어치뿐이었다", effects.least, *covered));
    }
    if (balance > judgement.most) {
        return found(Verdict::made, against(judgement, balance));
    }
    if (balance < judgement.least) {
        return found(Verdict::lost, against(judgement, balance));
    }
    if ((Total{terms.start} - balance) % terms.amount != 0) {
        return found(Verdict::odd, say("no number of requests of {} leads from {} to {}",
                                       "{}짜리 요청 몇 건으로도 {}에서 {}이 되지 않는다",
                                       terms.amount, terms.start, balance));
    }
    if (covered && (Total{terms.start} - balance) / terms.amount > *covered) {
        return found(Verdict::made, say("the balance is {}, below the floor of {}",
                                        "잔액 {}, 하한 {}보다 아래다", balance, *terms.floor));
    }
    if (effects.least != effects.most) {
        return found(Verdict::unknown,
                     say("the balance is {}: right if {} of {} unknown outcomes took effect",
                         "잔액 {0}: 결과를 모르는 {2}건 중 {1}건이 반영됐다면 맞다", balance,
                         (Total{terms.start} - balance) / terms.amount - effects.least,
                         effects.most - effects.least));
    }
    if (counts.accepted == 0) {
        return found(Verdict::untested, {"nothing was accepted, so nothing was shown",
                                         "승인된 것이 없어 보여 준 것도 없다"});
    }
    return found(Verdict::right,
                 say("the balance is {}, as it should be", "잔액 {}, 있어야 할 그대로다", balance));
}

}  // namespace passbook::lab::probe
