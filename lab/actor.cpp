// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
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
    note(Moment::began, level == Level::usual ? "BEGIN" : "BEGIN, serializable");
}

void Actor::commit() {
    session_->commit();
    note(Moment::committed, "COMMIT");
}

void Actor::roll_back() {
    session_->roll_back();
    note(Moment::undone, "ROLLBACK");
}

void Actor::enter(const Ask& ask) {
    session_->change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', ?1, ?2)",
        {ask.key, ask.amount});
    note(Moment::entered, fmt::format("entry {:+}", ask.amount));
}

}  // namespace passbook::lab
