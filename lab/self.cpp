// SPDX-License-Identifier: Apache-2.0
#include "lab/self.h"

#include <fmt/format.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>

#include "lab/catalogue.h"

namespace passbook::lab {

Self::Self() {
    for (auto line = asked(); line != "begin"; line = asked()) {
        if (!line) {
            throw std::runtime_error("an actor of the lab is started by the lab alone");
        }
        const auto end = line->find('\t');
        words_.emplace(line->substr(0, end), end == std::string::npos ? "" : line->substr(end + 1));
    }
}

const std::string& Self::word(std::string_view name) const {
    const auto found = words_.find(name);
    if (found == words_.end()) {
        throw std::out_of_range(fmt::format("nobody told the {}", name));
    }
    return found->second;
}

std::int64_t Self::number(std::string_view name) const {
    return std::stoll(word(name));
}

void Self::note(Moment moment, const Text& text) {
    write(fmt::format(
        "note {} {} {}\t{}", std::chrono::steady_clock::now().time_since_epoch().count(),
        static_cast<int>(moment), text.in(Language::english), text.in(Language::korean)));
}

void Self::here(std::string_view place) {
    write(fmt::format("here {}", place));
    if (asked() != "go") {
        throw std::runtime_error(fmt::format("not told to go on from `{}`", place));
    }
}

std::optional<std::string> Self::asked() {
    for (;;) {
        if (const auto end = unread_.find('\n'); end != std::string::npos) {
            std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return line;
        }
        std::array<char, 65'536> bytes{};
        const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return std::nullopt;
        }
        unread_.append(bytes.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

void Self::say(std::string_view text) {
    write(fmt::format("say {}", text));
}

void Self::report(std::string name, std::string value) {
    report_.insert_or_assign(std::move(name), std::move(value));
}

void Self::report(std::string name, std::int64_t value) {
    report(std::move(name), fmt::format("{}", value));
}

Session& Self::sql() {
    if (!session_) {
        session_ = session_at(word("plain tables"));
    }
    return *session_;
}

void Self::begin() {
    sql().begin();
    note(Moment::began, verbatim("BEGIN"));
}

void Self::commit() {
    sql().commit();
    note(Moment::committed, verbatim("COMMIT"));
}

void Self::roll_back() {
    sql().roll_back();
    note(Moment::undone, verbatim("ROLLBACK"));
}

/// Where the lab is gone, so are we: writing to it ends the process.
void Self::write(std::string_view line) {
    const std::string text = fmt::format("{}\n", line);
    const std::lock_guard lock(mutex_);
    for (std::string_view left = text; !left.empty();) {
        const ssize_t count = ::write(STDOUT_FILENO, left.data(), left.size());
        if (count < 0 && errno != EINTR) {
            throw std::runtime_error("the lab no longer listens");
        }
        left.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

int act(std::string_view experiment, std::string_view role) {
    Self self;
    const Experiment* found = find_experiment(experiment);
    const auto act = found == nullptr ? std::map<std::string, Act>::const_iterator()
                                      : found->roles.find(std::string(role));
    if (found == nullptr || act == found->roles.end()) {
        throw std::runtime_error(fmt::format("no role {} of {}", role, experiment));
    }
    try {
        act->second(self);
    } catch (const std::exception& error) {
        self.write(fmt::format("failed {}", error.what()));
        return 2;
    }
    for (const auto& [name, value] : self.report_) {
        self.write(fmt::format("report {}\t{}", name, value));
    }
    self.write("done");
    return 0;
}

}  // namespace passbook::lab
