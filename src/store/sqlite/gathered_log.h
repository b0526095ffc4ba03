// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace passbook::store::sqlite {

/// Name of a VFS, registered on the first call (any thread), that is the system's own but for the
/// write-ahead log: SQLite writes each page there in two small calls, and here they are gathered
/// into few large ones.
///
/// Only for connections with `synchronous = FULL`: what was gathered goes to the file before every
/// sync (and before any other look at the file), and with FULL SQLite syncs the log before it tells
/// readers of a commit. A write that fails is then reported by that sync, as the write's own error.
[[nodiscard]] const char* gathered_log_vfs();

}  // namespace passbook::store::sqlite
