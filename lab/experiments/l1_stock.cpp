// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// Stock is a wallet of pieces, and a sale a spend of one.
Way way(const std::string& name, Protection protection, std::int64_t stock, std::size_t buyers) {
    Way made = ways_of({std::move(protection)}, [=](Stage& stage, const Protection& by) {
                   Round round = play(stage, by,
                                      {.opening = stock,
                                       .amounts = std::vector<std::int64_t>(buyers, -1),
                                       .meet = Meet::after_read});
                   judge(round, stock, 0);
                   round.figures = {{{"oversold", "초과 판매"}, round.accepted - stock}};
                   if (round.accepted < stock) {
                       round.surprise = say("only {} of {} sold", "{1}개 중 {0}개만 팔림",
                                            round.accepted, stock);
                   }
                   return round;
               }).front();
    made.name = fmt::format("{}, {}", name, stock);
    return made;
}

}  // namespace

Experiment l1_stock() {
    return {
        .id = "L1",
        .question = {"Does read, if, write oversell?", "읽고, 검사하고, 쓰면 초과 판매가 날까?"},
        .setting = {"1 piece and 20 buyers, then 100 pieces and 120 buyers, all at once; who "
                    "reads first waits until all have read.",
                    "1개에 구매자 20명, 그다음 100개에 구매자 120명이 동시에 온다. 먼저 읽은 쪽은 "
                    "모두 읽을 때까지 기다린다."},
        .expectation =
            {"overwrite sells to every buyer. One conditional UPDATE, and Passbook, "
             "sell what there is.",
             "overwrite는 모두에게 판다. 조건을 건 UPDATE 하나와 Passbook은 있는 만큼만 판다."},
        .ways = {way("overwrite", overwrite(), 1, 20),
                 way("conditional", conditional_update(), 1, 20), way("queue", queue(), 1, 20),
                 way("overwrite", overwrite(), 100, 120),
                 way("conditional", conditional_update(), 100, 120),
                 way("queue", queue(), 100, 120)},
        .rounds = 2};
}

}  // namespace passbook::lab
