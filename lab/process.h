// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/child.h"
#include "lab/experiment.h"
#include "lab/self.h"

namespace passbook::lab {

/// An actor that is a process, as the lab sees it: started, told when to go on, stopped, killed. It
/// has a lane of the time axis, and what it notes there is read as long as the lab waits for it.
/// Used by the thread that made it, and gone no later than that thread.
class Process {
public:
    /// Starts a role of an experiment under a name. It is told of the stage: `plain tables`,
    /// `store` and `lock service` (as engine::open_locks takes it), `redis` (empty where there is
    /// none); and `words` besides. `environment` is of the form NAME=VALUE.
    Process(Stage& stage, std::string_view experiment, std::string_view role, const Text& name,
            const Words& words = {}, std::vector<std::string> environment = {});

    /// Waits until it is at that place. Throws std::runtime_error where it ends before, or does
    /// something else.
    void await(std::string_view place);
    /// It may go on from where it is.
    void go();

    /// Asks it for something, and the next answer to anything; nothing where it is gone. `ask` is
    /// false where it is gone.
    bool ask(std::string_view text);
    [[nodiscard]] std::optional<std::string> answer();

    /// Waits for its end, and returns what it reports. Throws std::runtime_error where it failed.
    Words finish();

    void stop();
    void resume();
    /// What it noted before is on the time axis.
    void kill();

    [[nodiscard]] Timeline::Lane& lane() noexcept {
        return lane_;
    }

private:
    /// What it says next that is no note.
    [[nodiscard]] std::optional<std::string> heard();

    std::string name_;
    Child child_;
    Timeline::Lane& lane_;
};

[[nodiscard]] std::int64_t number(const Words& words, std::string_view name);

}  // namespace passbook::lab
