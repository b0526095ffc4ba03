// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "lab/wallet.h"

namespace passbook::lab {

Actor::~Actor() {
    if (after_read_ != nullptr) {
        after_read_->drop();
    }
}

void Actor::has_read() {
    if (after_read_ != nullptr) {
        std::exchange(after_read_, nullptr)->wait();
    }
}

void Actor::begin(Level level) {
    session_->begin(level);
    note(Moment::began, verbatim(level == Level::usual ? "BEGIN" : "BEGIN, serializable"));
}

void Actor::commit() {
    session_->commit();
    note(Moment::committed, verbatim("COMMIT"));
}

void Actor::roll_back() {
    session_->roll_back();
    note(Moment::undone, verbatim("ROLLBACK"));
}

void Actor::enter(const Ask& ask) {
    session_->change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', ?1, ?2)",
        {ask.key, ask.amount});
    note(Moment::entered, say("entry {:+}", "항목 {:+}", ask.amount));
}

}  // namespace passbook::lab
