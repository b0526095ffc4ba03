// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/failure.h"
#include "store/store.h"

/// The ledger's tables in this process' memory, held to the same contract and the same guards as
/// the databases. It serves tests and simulation: it forgets everything when it goes.

namespace passbook::store::memory {

struct Tables;

/// A failure to come: from the `at`-th call (from 1) of a writer's begin, commit or confirm,
/// `times` calls fail.
struct Fault {
    int at = 0;
    FailureKind kind = FailureKind::unavailable;
    int times = 1;
    bool conflict = false;  ///< A Conflict instead of a plain failure of kind `busy`.
    /// For a commit that fails `in_doubt`: whether it took effect all the same.
    bool took_effect = false;
};

class MemoryStore final : public Store {
public:
    /// The clock must outlive the store.
    explicit MemoryStore(const Clock& clock);
    ~MemoryStore() override;

    [[nodiscard]] std::string describe() const override {
        return "memory:";
    }
    [[nodiscard]] std::size_t writers_max() const override {
        return 64;
    }
    [[nodiscard]] bool shared() const override {
        return false;
    }
    [[nodiscard]] std::unique_ptr<Writer> writer() override;
    [[nodiscard]] std::unique_ptr<Reader> reader() override;

    /// Gives the key another owner, whose number is returned. Waits for an open transaction.
    std::int64_t mint(const std::string& key);

    /// Replaces what was planned, and counts calls anew. Any thread.
    void plan_fault(Fault fault);

    /// Calls of begin, commit and confirm since the last plan.
    [[nodiscard]] int calls() const;
    [[nodiscard]] int confirms() const;  ///< Those that went well, since the store was made.

private:
    std::shared_ptr<Tables> tables_;
};

}  // namespace passbook::store::memory
