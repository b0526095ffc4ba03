// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"
#include "lab/hundreds.h"
#include "lab/labels.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// More than there is, by the smallest of the load's amounts.
void spend_too_much(Stage& stage, Wallet& wallet, Round& round) {
    const auto ask = wallet.actor(stage.timeline().lane({"late", "나중"}), nullptr);
    if (ask({.key = "too-much", .amount = -(hundreds_sum + 100)}) == Answer::accepted) {
        round.surprise = {"a spend of 15,100 was accepted", "15,100 사용이 승인됨"};
    }
}

Round played(Stage& stage, const Protection& protection) {
    Round round = play(stage, protection,
                       {.opening = hundreds_opening,
                        .amounts = hundreds(),
                        .afterwards = [&](Wallet& wallet, Round& r) {
                            spend_too_much(stage, wallet, r);
                        }});
    judge(round, 200, hundreds_sum);
    round.figures = {{labels::lost, *round.entries_sum - *round.balance}};
    if (round.accepted != 200 || round.entries_sum != hundreds_sum) {
        round.surprise =
            say("{} of 200 accepted, entries sum to {}", "200건 중 {}건 승인, 항목 합계 {}",
                round.accepted, *round.entries_sum);
    }
    if (!round.failure.empty()) {
        round.failure =
            say("{} of the balance is lost", "잔액에서 {} 사라짐", round.figures[0].value);
    }
    return round;
}

}  // namespace

Experiment p1_overwriting() {
    const std::vector<Protection> protections{overwrite(), in_transaction(), conditional_update(),
                                              immediate(), for_update(),     serializable(),
                                              advisory(),  queue()};
    return {.id = "P1",
            .question = {"Does overwriting lose what it does not see?",
                         "덮어쓰면 못 본 변경을 잃을까?"},
            .setting = {"Balance 5,000; 200 requests at once, 150 of +100 and 50 of -100; then a "
                        "spend of 15,100.",
                        "잔액 5,000. 요청 200건이 동시에 온다: +100 150건, -100 50건. 그다음 "
                        "15,100 사용 한 건."},
            .expectation =
                {"overwrite and in_transaction: entries sum to 15,000, the balance to something "
                 "else, each time another. The others: both 15,000, and 15,100 is refused.",
                 "overwrite와 in_transaction: 항목 합계는 15,000, 잔액은 다른 값이고 매번 다르다. "
                 "나머지: 둘 다 15,000이고 15,100은 거절된다."},
            .ways = ways_of(protections, played),
            .rounds = 2};
}

}  // namespace passbook::lab
