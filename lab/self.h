// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "lab/session.h"
#include "lab/text.h"
#include "lab/timeline.h"

namespace passbook::lab {

/// What a process is told when it starts, and what it reports in the end: names and values.
using Words = std::map<std::string, std::string, std::less<>>;

/// An actor that is a process, as it sees itself: what it was told, and the line to the lab that
/// started it. One thread, but for `note` and `say`, which any may call.
class Self {
public:
    /// Reads from stdin what it is told. Throws std::runtime_error where that is not whole.
    Self();

    /// Throws std::out_of_range where nothing was told under that name.
    [[nodiscard]] const std::string& word(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name) const;

    /// On the time axis.
    void note(Moment moment, const Text& text);

    /// Tells the lab that it is there, and waits until it may go on.
    void here(std::string_view place);

    /// What the lab asks next; nothing where it asks no more.
    [[nodiscard]] std::optional<std::string> asked();
    /// An answer to it.
    void say(std::string_view text);

    /// For Process::finish.
    void report(std::string name, std::string value);
    void report(std::string name, std::int64_t value);

    /// A connection of its own to the plain tables.
    [[nodiscard]] Session& sql();

    // Statements that leave their mark on the time axis.
    void begin();
    void commit();
    void roll_back();

private:
    friend int act(std::string_view experiment, std::string_view role);
    void write(std::string_view line);

    std::mutex mutex_;  // of what is written
    std::string unread_;
    Words words_;
    Words report_;
    std::unique_ptr<Session> session_;
};

/// What an actor process does from its beginning to its end.
using Act = std::function<void(Self&)>;

/// Plays a role of an experiment in this process, which a Process has started; the exit code.
[[nodiscard]] int act(std::string_view experiment, std::string_view role);

}  // namespace passbook::lab
