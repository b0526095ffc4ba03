// SPDX-License-Identifier: Apache-2.0
#include "lab/process.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace passbook::lab {
namespace {

/// Longer than any round takes; a process that hangs is found.
constexpr std::chrono::seconds patience{60};

void take_note(Timeline::Lane& lane, std::string_view text) {
    std::int64_t nanos = 0;
    int moment = 0;
    const auto time = std::from_chars(text.data(), text.data() + text.size(), nanos);
    const auto rest = std::from_chars(time.ptr + 1, text.data() + text.size(), moment);
    const std::string_view texts =
        text.substr(static_cast<std::size_t>(rest.ptr + 1 - text.data()));
    const std::size_t tab = std::min(texts.find('\t'), texts.size());
    const std::string_view english = texts.substr(0, tab);
    const std::string_view korean = texts.substr(std::min(tab + 1, texts.size()));
    lane.note(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(nanos)),
              static_cast<Moment>(moment), Text(std::string(english), std::string(korean)));
}

}  // namespace

Process::Process(Stage& stage, std::string_view experiment, std::string_view role, const Text& name,
                 const Words& words, std::vector<std::string> environment)
    : name_(name.in(Language::english)),
      child_({.arguments = {"lab", "actor", std::string(experiment), std::string(role)},
              .environment = std::move(environment)}),
      lane_(stage.timeline().lane(say("{} (process {})", "{} (프로세스 {})", name, child_.id()))) {
    Words all = words;
    all.emplace("name", name_);
    all.emplace("plain tables", stage.database().url());
    all.emplace("store", stage.store_url());
    all.emplace("lock service", stage.lock_service());
    all.emplace("redis", stage.redis());
    // Not as arguments, which everybody on the machine can read: a URL may hold a password.
    for (const auto& [word, value] : all) {
        child_.tell(fmt::format("{}\t{}", word, value));
    }
    child_.tell("begin");
}

std::optional<std::string> Process::heard() {
    for (;;) {
        auto line = child_.line(patience);
        if (!line || !line->starts_with("note ")) {
            if (line && line->starts_with("failed ")) {
                throw std::runtime_error(fmt::format("actor {}: {}", name_, line->substr(7)));
            }
            return line;
        }
        take_note(lane_, std::string_view(*line).substr(5));
    }
}

void Process::await(std::string_view place) {
    const auto line = heard();
    if (line != fmt::format("here {}", place)) {
        throw std::runtime_error(fmt::format("actor {} is not at `{}`, but said: {}", name_, place,
                                             line.value_or("nothing more")));
    }
}

void Process::go() {
    child_.tell("go");
}

bool Process::ask(std::string_view text) {
    return child_.tell(text);
}

std::optional<std::string> Process::answer() {
    auto line = heard();
    if (line && !line->starts_with("say ")) {
        throw std::runtime_error(
            fmt::format("actor {} did not answer, but said: {}", name_, *line));
    }
    return line ? std::optional(line->substr(4)) : std::nullopt;
}

Words Process::finish() {
    Words report;
    for (auto line = heard(); line != "done"; line = heard()) {
        if (!line || !line->starts_with("report ")) {
            throw std::runtime_error(
                fmt::format("actor {} ended and said: {}", name_, line.value_or("nothing")));
        }
        const auto end = line->find('\t');
        report.insert_or_assign(line->substr(7, end - 7), line->substr(end + 1));
    }
    return report;
}

void Process::stop() {
    child_.stop();
    lane_.note(Moment::noted, {"SIGSTOP: stands still", "SIGSTOP: 멈춰 섬"});
}

void Process::resume() {
    lane_.note(Moment::noted, {"SIGCONT: goes on", "SIGCONT: 다시 감"});
    child_.resume();
}

void Process::kill() {
    child_.kill();
    while (heard()) {
    }
    lane_.note(Moment::noted, {"SIGKILL: is gone", "SIGKILL: 사라짐"});
}

std::int64_t number(const Words& words, std::string_view name) {
    const auto found = words.find(name);
    if (found == words.end()) {
        throw std::runtime_error(fmt::format("an actor did not report its {}", name));
    }
    return std::stoll(found->second);
}

}  // namespace passbook::lab
