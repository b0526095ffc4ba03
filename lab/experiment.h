// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/self.h"
#include "lab/session.h"
#include "lab/text.h"
#include "lab/timeline.h"

/// An experiment is a question, answered by playing the same setting in several ways. It is passed
/// where each way does what is foretold of it: an unsafe one is seen to fail, a guarded one holds
/// in every round.

namespace passbook::lab {

enum class Promise : std::uint8_t {
    unsafe,   ///< Must fail in at least one of `rounds_max` rounds.
    guarded,  ///< Must hold in every round.
    shown,    ///< Is there for its figures; must only end without a surprise.
};

/// As the report of machines has it.
[[nodiscard]] std::string_view name_of(Promise promise) noexcept;

/// What one round of one way came to. Amounts are whole numbers in the smallest unit.
struct Round {
    struct Figure {
        Text name;
        std::int64_t value = 0;
    };

    std::int64_t accepted = 0;
    std::int64_t refused = 0;
    std::optional<std::int64_t> balance = {};      ///< As a row of its own says, where one is kept.
    std::optional<std::int64_t> entries_sum = {};  ///< Where entries are kept.
    std::chrono::nanoseconds time{0};              ///< Of the load alone.
    Text failure = {};                             ///< How it went wrong; empty where it held.
    Text surprise = {};                ///< What nobody foretold: fails the experiment at once.
    std::vector<Figure> figures = {};  ///< What this experiment measures besides.
    std::vector<std::chrono::nanoseconds> waits = {};  ///< Of each who asked, for the answer.
};

/// Where a round is played: everything on it is new, and gone afterwards. One thread.
class Stage {
public:
    /// The place must outlive the stage.
    explicit Stage(Place& place) : place_(place) {}

    [[nodiscard]] Kind kind() const noexcept {
        return place_.kind();
    }
    /// Plain tables are for the way to make.
    [[nodiscard]] Database& database();
    /// A Passbook store that is empty, or that whoever opens it makes.
    [[nodiscard]] std::string store_url();
    /// A person with an SQL shell on that store.
    [[nodiscard]] std::unique_ptr<Session> store_shell();
    [[nodiscard]] Timeline& timeline() noexcept {
        return timeline_;
    }

    /// Where the keys of locks are kept: on a Redis server under a prefix of its own, or empty.
    void set_redis(std::string url) {
        redis_ = std::move(url);
    }
    [[nodiscard]] const std::string& redis() const noexcept {
        return redis_;
    }
    /// What Passbook's own locks use: that Redis, or else the leases of the store.
    [[nodiscard]] std::string lock_service() const {
        return redis_.empty() ? "store" : redis_;
    }

private:
    Place& place_;
    std::unique_ptr<Database> database_;
    std::unique_ptr<Database> store_;
    Timeline timeline_;
    std::string redis_;
};

/// A database on which a way does not exist, and why.
struct Absence {
    Kind kind = Kind::sqlite;
    Text why;
};

struct Way {
    std::string name;  ///< The same in every language.
    Promise promise = Promise::guarded;
    Text how;  ///< What it does, in one line.
    std::function<Round(Stage&)> play;
    std::vector<Absence> absences = {};
    bool needs_redis = false;    ///< Not played where no Redis is named.
    bool needs_standby = false;  ///< Where the place has none, it is absent.
};

struct Experiment {
    std::string id;
    Text question;
    Text setting;
    Text expectation;
    std::vector<Way> ways;
    int rounds = 5;  ///< That each way plays; an unsafe one that has not failed goes on.
    /// Holds the last rounds of the ways, in their order, against each other: what is not as
    /// expected, or nothing. May be absent.
    std::function<Text(const std::vector<Round>&)> compare = {};
    /// What its actors do that are processes of their own, by the name of the role.
    std::map<std::string, Act> roles = {};
    bool has_locks = false;  ///< Then the report says where their keys were kept.
    /// Its figures are held against each other, so that it has the machine to itself: the places
    /// take turns.
    bool is_measured = false;
};

inline constexpr int rounds_max = 20;

}  // namespace passbook::lab
