// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "lab/session.h"

/// One connection of each kind; `session_at` chooses. All throw std::runtime_error or Failure.

namespace passbook::lab {

[[nodiscard]] std::unique_ptr<Session> sqlite_session(const std::string& path);
[[nodiscard]] std::unique_ptr<Session> postgres_session(const std::string& url);
[[nodiscard]] std::unique_ptr<Session> mariadb_session(const std::string& url);

}  // namespace passbook::lab
