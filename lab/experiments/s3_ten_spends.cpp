// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"
#include "lab/wallet.h"

namespace passbook::lab {

Experiment s3_ten_spends() {
    const auto played = [](Stage& stage, const Protection& protection) {
        Round round = play(stage, protection,
                           {.opening = 100,
                            .amounts = std::vector<std::int64_t>(10, -30),
                            .meet = Meet::after_read});
        judge(round, 3, 10);
        if (!round.failure.empty() && round.accepted != 10) {
            round.surprise = say("{} accepted where all had read 100",
                                 "모두 100을 읽었는데 {}건 승인", round.accepted);
        }
        return round;
    };
    std::vector<Protection> protections{overwrite(), in_transaction(), check_then_insert()};
    for (Protection& guarded : guarded_protections()) {
        protections.push_back(std::move(guarded));
    }
    return {
        .id = "S3",
        .question = {"How do ten spends of 30 meet a balance of 100?",
                     "30씩 열 번의 사용이 잔액 100을 만나면?"},
        .setting =
            {"Ten spends of 30 at once, different keys; who reads first waits until all have read.",
             "키가 다른 30 사용 열 건이 동시에 온다. 먼저 읽은 쪽은 모두 읽을 때까지 기다린다."},
        .expectation = {"overwrite, in_transaction and check_then_insert accept all ten. The "
                        "others accept exactly 3 and refuse 7: balance 10.",
                        "overwrite, in_transaction, check_then_insert는 열 건을 다 승인한다. "
                        "나머지는 정확히 3건을 승인하고 7건을 거절한다: 잔액 10."},
        .ways = ways_of(protections, played)};
}

}  // namespace passbook::lab
