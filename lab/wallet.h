// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "lab/meeting.h"
#include "lab/text.h"
#include "lab/timeline.h"

/// One account, and the ways in which the trade moves its balance. Each way is a function on plain
/// tables; `queue` is Passbook itself.

namespace passbook::lab {

struct Ask {
    std::string key;
    std::int64_t amount = 0;  ///< Signed: a grant or a spend.
};

enum class Answer : std::uint8_t { accepted, refused };

/// One who asks: a connection and a lane of the time axis. Used by one thread.
class Actor {
public:
    /// `after_read` may be null: then nobody waits for others.
    Actor(std::unique_ptr<Session> session, Timeline::Lane& lane, Meeting* after_read)
        : session_(std::move(session)), lane_(lane), after_read_(after_read) {}
    ~Actor();
    Actor(const Actor&) = delete;
    Actor& operator=(const Actor&) = delete;

    [[nodiscard]] Session& sql() const noexcept {
        return *session_;
    }
    void note(Moment moment, Text text) {
        lane_.note(moment, std::move(text));
    }

    /// For a way that has read and has yet to write: waits until all have read. Only once.
    void has_read();

    // Statements that leave their mark on the time axis.
    void begin(Level level = Level::usual);
    void commit();
    void roll_back();
    void enter(const Ask& ask);  ///< Writes the entry.

private:
    std::unique_ptr<Session> session_;
    Timeline::Lane& lane_;
    Meeting* after_read_;
};

/// Moves the balance of the account by one way.
using Move = std::function<Answer(Actor&, const Ask&)>;

/// The account `wallet`, opened with a balance.
class Wallet {
public:
    virtual ~Wallet() = default;

    /// Somebody who asks, and leaves marks on that lane. Any thread.
    [[nodiscard]] virtual std::function<Answer(const Ask&)> actor(Timeline::Lane& lane,
                                                                  Meeting* after_read) = 0;
    /// As its own row says; nothing where the way keeps none.
    [[nodiscard]] virtual std::optional<std::int64_t> balance() = 0;
    /// Nothing where the way keeps no entries.
    [[nodiscard]] virtual std::optional<std::int64_t> entries_sum() = 0;
};

/// A way to move a balance, before an experiment gives it a setting.
struct Protection {
    std::string name;
    Promise promise = Promise::guarded;
    Text how;
    std::function<std::unique_ptr<Wallet>(Stage&, std::int64_t opening)> open;
    std::vector<Absence> absences = {};
};

[[nodiscard]] Protection overwrite();
[[nodiscard]] Protection in_transaction();
[[nodiscard]] Protection check_then_insert();
[[nodiscard]] Protection conditional_update();
[[nodiscard]] Protection immediate();
[[nodiscard]] Protection for_update();
[[nodiscard]] Protection serializable();
[[nodiscard]] Protection advisory();
[[nodiscard]] Protection optimistic();
[[nodiscard]] Protection queue();

/// All that keep a balance right.
[[nodiscard]] std::vector<Protection> guarded_protections();

/// A wallet on plain tables whose balance is moved by `move`.
[[nodiscard]] std::unique_ptr<Wallet> plain_wallet(Stage& stage, std::int64_t opening, Move move,
                                                   bool keeps_balance = true,
                                                   bool keeps_entries = true);

enum class Meet : std::uint8_t {
    before,      ///< All begin together, and then it is as it comes.
    after_read,  ///< Besides, nobody who reads first writes before all have read.
};

struct Race {
    std::int64_t opening = 0;
    std::vector<std::int64_t> amounts;  ///< One for each who asks.
    Meet meet = Meet::before;
    /// What is done on the wallet when all have their answer; may be absent.
    std::function<void(Wallet&, Round&)> afterwards = {};
};

/// All ask at once, each on a thread of its own; what became of it is for the caller to judge.
[[nodiscard]] Round play(Stage& stage, const Protection& protection, const Race& race);

/// Makes ways of protections, each played by `play`.
[[nodiscard]] std::vector<Way> ways_of(const std::vector<Protection>& protections,
                                       const std::function<Round(Stage&, const Protection&)>& play);

/// Whether as many were accepted and as much is there as the rules say; else `failure` tells.
void judge(Round& round, std::int64_t accepted, std::int64_t sum);

}  // namespace passbook::lab
