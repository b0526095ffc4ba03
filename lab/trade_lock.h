// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "lab/session.h"

namespace passbook::lab {

/// A lock as the trade writes it: who sets a key that is not there holds it until its time is over,
/// and who deletes it has freed it. On Redis it is SET NX PX, DEL, and the script that compares
/// first; without one, a table of locks in which time is the program's own. One thread.
class TradeLock {
public:
    virtual ~TradeLock() = default;

    [[nodiscard]] virtual bool set(const std::string& key, const std::string& token,
                                   std::chrono::milliseconds ttl) = 0;
    virtual void del(const std::string& key) = 0;
    /// False where somebody else has it, or nobody.
    [[nodiscard]] virtual bool del_if(const std::string& key, const std::string& token) = 0;
    /// Makes the time of the key begin again, whoever holds it: false where nobody does.
    virtual bool renew(const std::string& key, std::chrono::milliseconds ttl) = 0;
    [[nodiscard]] virtual bool is(const std::string& key, const std::string& token) = 0;
    [[nodiscard]] virtual bool is_held(const std::string& key) = 0;
};

/// On the Redis that `redis` names, or where that is empty in a table beside the plain ones, which
/// create_trade_locks must have made.
[[nodiscard]] std::unique_ptr<TradeLock> trade_lock(const std::string& redis,
                                                    const std::string& plain_tables);

void create_trade_locks(Session& session);

}  // namespace passbook::lab
