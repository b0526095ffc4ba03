// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <utility>

#include "lab/catalogue.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// A document of two lines, each written by one editor; saving writes the whole of it, as read and
/// changed.
struct Document {
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t version = 0;
};

using Save = std::function<std::int64_t(Session&, const Document&)>;

std::int64_t save_over(Session& sql, const Document& document) {
    return sql.change("UPDATE document SET first = ?1, second = ?2",
                      {document.first, document.second});
}

std::int64_t save_if_unchanged(Session& sql, const Document& document) {
    return sql.change(
        "UPDATE document SET first = ?1, second = ?2, version = version + 1 WHERE version = ?3",
        {document.first, document.second, document.version});
}

bool edit(Actor& actor, std::size_t line, const Save& save) {
    const auto row = actor.sql().row("SELECT first, second, version FROM document");
    Document document{row.at(0), row.at(1), row.at(2)};
    actor.note(Moment::read, say("opens version {}", "버전 {} 열기", document.version));
    (line == 0 ? document.first : document.second) = 1;
    actor.has_read();
    const bool saved = save(actor.sql(), document) == 1;
    actor.note(saved ? Moment::accepted : Moment::refused,
               saved ? say("saves line {}", "{}번째 줄 저장", line + 1)
                     : Text("is told: changed since", "통보: 그사이 바뀜"));
    return saved;
}

Round played(Stage& stage, const Save& save) {
    const auto sql = stage.database().connect();
    sql->change(
        "CREATE TABLE document (first BIGINT NOT NULL, second BIGINT NOT NULL, "
        "version BIGINT NOT NULL)");
    sql->change("INSERT INTO document VALUES (0, 0, 1)");
    Meeting both_read(2);
    std::array<std::unique_ptr<Actor>, 2> actors;
    for (std::size_t n = 0; n < actors.size(); ++n) {
        actors[n] = std::make_unique<Actor>(stage.database().connect(),
                                            stage.timeline().lane(actor_name(n)), &both_read);
    }
    std::atomic<std::int64_t> saved = 0;
    const auto begun = stage.timeline().elapsed();
    together(2, [&](std::size_t n) {
        const auto actor = std::move(actors[n]);  // Whoever ends is waited for no more.
        saved += edit(*actor, n, save) ? 1 : 0;
    });
    Round round{.accepted = saved, .refused = 2 - saved};
    round.time = stage.timeline().elapsed() - begun;
    const std::int64_t kept = sql->row("SELECT first + second FROM document").at(0);
    round.figures = {{{"lines kept", "남은 줄"}, kept}};
    if (kept != round.accepted) {
        round.failure =
            say("{} saved, {} kept", "{}명이 저장했지만 남은 줄은 {}", round.accepted, kept);
    }
    if (round.accepted == 0) {
        round.surprise = {"nobody could save", "아무도 저장하지 못함"};
    }
    return round;
}

}  // namespace

Experiment l7_version() {
    return {.id = "L7",
            .question = {"What if two editors save the same document?",
                         "편집자 둘이 같은 문서를 저장하면?"},
            .setting = {"Both open version 1, each changes a line of its own, both save.",
                        "둘 다 버전 1을 열어 저마다 다른 줄을 고치고, 둘 다 저장한다."},
            .expectation = {"Without a version the second save silently undoes the first. With "
                            "one, the second is told.",
                            "버전이 없으면 두 번째 저장이 첫 번째를 소리 없이 지운다. 있으면 두 "
                            "번째가 통보받는다."},
            .ways = {{.name = "overwrite",
                      .promise = Promise::unsafe,
                      .how = {"UPDATE the whole document", "문서 전체를 UPDATE"},
                      .play =
                          [](Stage& stage) {
                              return played(stage, save_over);
                          }},
                     {.name = "version_column",
                      .promise = Promise::guarded,
                      .how = {"UPDATE … WHERE version is as read; check the row count",
                              "UPDATE … WHERE 버전이 읽은 그대로; 바뀐 행 수 확인"},
                      .play = [](Stage& stage) {
                          return played(stage, save_if_unchanged);
                      }}}};
}

}  // namespace passbook::lab
