// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"
#include "lab/wallet.h"

namespace passbook::lab {

Experiment s1_two_spends() {
    const auto played = [](Stage& stage, const Protection& protection) {
        Round round =
            play(stage, protection,
                 {.opening = 5'000, .amounts = {-3'000, -3'000}, .meet = Meet::after_read});
        judge(round, 1, 2'000);
        if (!round.failure.empty() && (round.accepted != 2 || round.entries_sum != -1'000)) {
            round.surprise = say("{} accepted, entries sum to {}", "{}건 승인, 항목 합계 {}",
                                 round.accepted, round.entries_sum.value_or(0));
        }
        return round;
    };
    std::vector<Protection> protections{check_then_insert(), in_transaction()};
    for (Protection& guarded : guarded_protections()) {
        protections.push_back(std::move(guarded));
    }
    return {
        .id = "S1",
        .question = {"Can two different spends pass the same check?",
                     "서로 다른 두 사용이 같은 검사를 함께 통과할 수 있을까?"},
        .setting =
            {"Entries sum to 5,000. Two spends of 3,000 under different keys; both read before "
             "either writes.",
             "항목 합계는 5,000. 키가 다른 3,000 사용 두 건이 모두 읽은 다음에야 쓰기 시작한다."},
        .expectation =
            {"check_then_insert accepts both: sum -1,000, though no row was updated and no key "
             "collided; so does in_transaction. The others accept one: 2,000.",
             "check_then_insert는 둘 다 승인해 합계가 -1,000이 된다. 수정된 행도, 부딪힌 키도 "
             "없는데 그렇다. in_transaction도 마찬가지다. 나머지는 하나만 승인한다: 2,000."},
        .ways = ways_of(protections, played)};
}

}  // namespace passbook::lab
