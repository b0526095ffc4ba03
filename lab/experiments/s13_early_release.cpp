// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "lab/catalogue.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

enum class Release : std::uint8_t { before_commit, after_commit };

/// A lock on the account, as a lock service would keep it, and the place where a COMMIT is slow:
/// until the next holder has read.
struct Lock {
    std::mutex mutex;
    Gate next_has_read;
    Gate nobody;  ///< For which nobody waits.
    int holders = 0;
};

Answer under_lock(Actor& actor, const Ask& ask, Lock& lock, Release release) {
    std::unique_lock held(lock.mutex);
    const bool is_first = lock.holders++ == 0;
    const OpenAtEnd open(is_first ? lock.nobody : lock.next_has_read);
    actor.note(Moment::noted, {"lock acquired", "락 얻음"});
    const std::int64_t balance =
        actor.sql().row("SELECT balance FROM account WHERE id = 'wallet'").at(0);
    actor.note(Moment::read, say("reads balance {}", "잔액 {} 읽음", balance));
    if (!is_first) {
        lock.next_has_read.open();
    }
    if (balance + ask.amount < 0) {
        return Answer::refused;
    }
    actor.begin();
    actor.sql().change("UPDATE account SET balance = ?1 WHERE id = 'wallet'",
                       {balance + ask.amount});
    actor.note(Moment::moved, say("balance = {}", "잔액 = {}", balance + ask.amount));
    actor.enter(ask);
    if (release == Release::before_commit) {
        actor.note(Moment::noted, {"lock released", "락 놓음"});
        held.unlock();
        if (is_first) {
            lock.next_has_read.wait();
        }
    }
    actor.commit();
    if (release == Release::after_commit) {
        actor.note(Moment::noted, {"lock released", "락 놓음"});
    }
    return Answer::accepted;
}

Protection lock_only(std::string name, Promise promise, Text how, Release release) {
    return {.name = std::move(name),
            .promise = promise,
            .how = std::move(how),
            .open = [release](Stage& stage, std::int64_t opening) {
                return plain_wallet(
                    stage, opening,
                    [lock = std::make_shared<Lock>(), release](Actor& actor, const Ask& ask) {
                        return under_lock(actor, ask, *lock, release);
                    });
            }};
}

}  // namespace

Experiment s13_early_release() {
    const auto played = [](Stage& stage, const Protection& protection) {
        Round round = play(stage, protection, {.opening = 5'000, .amounts = {-3'000, -3'000}});
        judge(round, 1, 2'000);
        if (!round.failure.empty() && (round.accepted != 2 || round.balance != 2'000)) {
            round.surprise = say("{} accepted, balance {}", "{}건 승인, 잔액 {}", round.accepted,
                                 round.balance.value_or(0));
        }
        return round;
    };
    return {
        .id = "S13",
        .question = {"May a lock be released before the commit?", "커밋 전에 락을 놓아도 될까?"},
        .setting = {"Balance 5,000, two spends of 3,000, a lock on the account and nothing "
                    "else. The first COMMIT comes when the next holder has read.",
                    "잔액 5,000, 3,000 사용 두 건, 보호 장치는 계좌의 락 하나뿐. 첫 COMMIT은 다음 "
                    "보유자가 읽은 뒤에 온다."},
        .expectation = {"Released before the commit, the lock lets both in: balance 2,000, "
                        "entries -1,000. Released after it, one is accepted.",
                        "커밋 전에 놓은 락은 둘 다 들여보낸다: 잔액 2,000, 항목 합계 -1,000. 커밋 "
                        "뒤에 놓으면 하나만 승인된다."},
        .ways =
            ways_of({lock_only("released_before", Promise::unsafe,
                               {"lock, begin, work, release, commit", "락, 시작, 작업, 해제, 커밋"},
                               Release::before_commit),
                     lock_only("released_after", Promise::guarded,
                               {"lock, begin, work, commit, release", "락, 시작, 작업, 커밋, 해제"},
                               Release::after_commit)},
                    played)};
}

}  // namespace passbook::lab
