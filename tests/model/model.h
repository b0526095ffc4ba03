// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/model/step.h"

namespace passbook::model {

/// The ledger as one would explain it on a napkin: one thread, whole numbers, nothing clever. It
/// knows nothing of the product's code, and says of every step what its answer must be.
class Model {
public:
    struct Account {
        int balance = 0;
        int held = 0;
        int seq = 0;
        bool frozen = false;
    };

    /// The expected answer as a line, for example `done seq 3 balance 70 held 0` or
    /// `account_frozen`.
    std::string apply(const Step& step);

    [[nodiscard]] const std::map<std::string, Account>& books() const {
        return books_;
    }

private:
    struct Leg {
        std::string account;
        int amount = 0;
        int left = 0;
    };
    struct Transaction {
        std::string subject;
        std::string kind;
        std::vector<Leg> legs;
    };
    struct Hold {
        std::string account;
        int amount = 0;
        bool open = true;
        int due = 0;
    };
    struct Before {
        std::string command;
        std::string answer;
    };

    [[nodiscard]] const Hold* hold_of(int target) const;
    [[nodiscard]] const Transaction* transaction_of(int target) const;
    [[nodiscard]] std::string said(const Step& step) const;
    std::string decide(const Step& step, const std::string& subject);
    std::string move(const std::string& kind, const std::string& subject, std::vector<Leg> legs);
    std::string place(const std::string& account, int amount);
    std::string close(Hold& hold, int amount);
    std::string reverse(std::size_t index, const std::string& subject);
    void expire(const std::string& account);
    std::string done(const std::string& subject) const;

    std::map<std::string, Account> books_;
    std::vector<Hold> holds_;
    std::vector<Transaction> transactions_;
    std::map<std::string, Before> answered_;
    int now_ = 0;
};

/// How long every hold lasts, and how far `wait` moves the clock.
inline constexpr int hold_seconds = 100;
inline constexpr int wait_seconds = 60;

}  // namespace passbook::model
