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
                   round.figures = {{"oversold", round.accepted - stock}};
                   if (round.accepted < stock) {
                       round.surprise = fmt::format("only {} of {} sold", round.accepted, stock);
                   }
                   return round;
               }).front();
    made.name = fmt::format("{}, {}", name, stock);
    return made;
}

}  // namespace

Experiment l1_stock() {
    return {.id = "L1",
            .question = "Does read, if, write oversell?",
            .setting =
                "1 piece and 20 buyers, then 100 pieces and 120 buyers, all at once; who "
                "reads first waits until all have read.",
            .expectation =
                "overwrite sells to every buyer. One conditional UPDATE, and Passbook, "
                "sell what there is.",
            .ways = {way("overwrite", overwrite(), 1, 20),
                     way("conditional", conditional_update(), 1, 20), way("queue", queue(), 1, 20),
                     way("overwrite", overwrite(), 100, 120),
                     way("conditional", conditional_update(), 100, 120),
                     way("queue", queue(), 100, 120)},
            .rounds = 2};
}

}  // namespace passbook::lab
