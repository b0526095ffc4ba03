// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>
#include <ostream>
#include <string>

namespace passbook::model {

enum class Op { grant, spend, transfer, hold, commit, void_hold, reverse, freeze, unfreeze, wait };

/// One random step, small enough that accounts, keys and targets meet each other often. `target`
/// counts back from the latest hold or transaction; out of range, it names one that does not exist.
struct Step {
    Op op = Op::grant;
    int account = 0;
    int other = 0;
    int amount = 1;
    int key = 0;
    int target = 0;
};

inline constexpr int accounts = 3;

inline std::string account_name(int index) {
    return "account-" + std::to_string(index);
}

inline std::ostream& operator<<(std::ostream& out, const Step& step) {
    return out << "{op " << static_cast<int>(step.op) << " account " << step.account << " other "
               << step.other << " amount " << step.amount << " key " << step.key << " target "
               << step.target << "}";
}

}  // namespace passbook::model

namespace rc {

template <>
struct Arbitrary<passbook::model::Step> {
    static Gen<passbook::model::Step> arbitrary() {
        using passbook::model::accounts;
        using passbook::model::Op;
        using passbook::model::Step;
        return gen::build<Step>(gen::set(&Step::op, gen::weightedElement<Op>({{6, Op::grant},
                                                                              {6, Op::spend},
                                                                              {4, Op::transfer},
                                                                              {5, Op::hold},
                                                                              {4, Op::commit},
                                                                              {2, Op::void_hold},
                                                                              {4, Op::reverse},
                                                                              {1, Op::freeze},
                                                                              {2, Op::unfreeze},
                                                                              {2, Op::wait}})),
                                gen::set(&Step::account, gen::inRange(0, accounts)),
                                gen::set(&Step::other, gen::inRange(0, accounts)),
                                gen::set(&Step::amount, gen::inRange(1, 12)),
                                gen::set(&Step::key, gen::inRange(0, 30)),
                                gen::set(&Step::target, gen::inRange(0, 4)));
    }
};

}  // namespace rc
