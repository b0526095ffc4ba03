// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "cli/lab_check.h"
#include "cli/lab_probe.h"
#include "cli/lab_report.h"
#include "cli/language.h"
#include "cli/progress.h"
#include "cli/subcommand.h"
#include "cli/text.h"
#include "lab/catalogue.h"
#include "lab/labels.h"
#include "lab/redis_link.h"
#include "lab/report_json.h"
#include "lab/report_text.h"
#include "lab/run.h"
#include "lab/self.h"

namespace passbook::cli {
namespace {

struct LabFlags {
    std::vector<std::string> names;
    std::vector<std::string> stores;
    std::vector<std::string> files;
    std::string redis;
    std::string experiment;  // of an actor
    std::string role;
    std::string standby;
    std::string language;
    std::string report;  ///< Folder for a page; none where empty.
    bool all = false;
    bool json = false;
};

/// Set by Ctrl-C. The round that is being played ends, its temporary databases go, and so does the
/// process; a second Ctrl-C does not wait for that.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

class CatchInterrupt {
public:
    CatchInterrupt() {
        struct sigaction action = {};
        action.sa_handler = [](int) {
            interrupted = true;
        };
        action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
        sigaction(SIGINT, &action, &before_interrupt_);
        sigaction(SIGTERM, &action, &before_terminate_);
    }
    ~CatchInterrupt() {
        sigaction(SIGINT, &before_interrupt_, nullptr);
        sigaction(SIGTERM, &before_terminate_, nullptr);
    }
    CatchInterrupt(const CatchInterrupt&) = delete;
    CatchInterrupt& operator=(const CatchInterrupt&) = delete;

private:
    struct sigaction before_interrupt_ = {};
    struct sigaction before_terminate_ = {};
};

Exit run_list(const LabFlags& flags) {
    if (flags.json) {
        fmt::print("{}\n", lab::json_of(lab::catalogue()));
        return Exit::good;
    }
    const lab::Language language = language_of(flags.language);
    for (const lab::Experiment& experiment : lab::catalogue()) {
        fmt::print("{:<5}{}\n", experiment.id, experiment.question.in(language));
    }
    return Exit::good;
}

std::vector<const lab::Experiment*> chosen(const LabFlags& flags) {
    if (flags.all != flags.names.empty()) {
        throw CannotRun("name experiments, or say --all; see `passbook lab list`");
    }
    std::vector<const lab::Experiment*> experiments;
    for (const lab::Experiment& experiment : lab::catalogue()) {
        if (flags.all) {
            experiments.push_back(&experiment);
        }
    }
    for (const std::string& name : flags.names) {
        const lab::Experiment* found = lab::find_experiment(name);
        if (found == nullptr) {
            throw CannotRun(
                fmt::format("{} is no experiment; see `passbook lab list`", in_quotes(name)));
        }
        experiments.push_back(found);
    }
    return experiments;
}

bool begins_with_any(const std::string& url, std::initializer_list<std::string_view> schemes) {
    return std::any_of(schemes.begin(), schemes.end(),
                       [&](std::string_view scheme) { return url.starts_with(scheme); });
}

/// The experiments make databases of their own, so a store only says where.
std::shared_ptr<lab::Place> place_of(const std::string& url, const std::string& standby) {
    constexpr std::string_view sqlite = "sqlite:";
    if (begins_with_any(url, {"postgresql://", "postgres://"})) {
        return lab::postgres_place(url, standby);
    }
    if (begins_with_any(url, {"mysql://", "mariadb://"})) {
        return lab::mariadb_place(url);
    }
    if (!url.starts_with(sqlite)) {
        throw CannotRun(
            fmt::format("{}: the lab plays in temporary databases of its own, on sqlite:FOLDER, "
                        "postgresql://… or mysql://…",
                        in_quotes(url.substr(0, url.find("://")))));
    }
    const std::string folder = url.substr(sqlite.size());
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
        throw CannotRun(fmt::format("{}: no such folder", in_quotes(folder)));
    }
    return lab::sqlite_place(folder);
}

std::vector<std::shared_ptr<lab::Place>> places_of(const LabFlags& flags) {
    std::vector<std::shared_ptr<lab::Place>> places;
    for (const std::string& url : flags.stores) {
        auto place = place_of(url, flags.standby);
        if (std::any_of(places.begin(), places.end(),
                        [&](const auto& other) { return other->kind() == place->kind(); })) {
            throw CannotRun(fmt::format("--store: two of {}", name_of(place->kind())));
        }
        places.push_back(std::move(place));
    }
    if (places.empty()) {
        places.push_back(lab::sqlite_place(""));
    }
    if (!flags.standby.empty() && std::none_of(places.begin(), places.end(), [](const auto& place) {
            return place->has_standby();
        })) {
        throw CannotRun("--standby: name its primary with --store postgresql://…");
    }
    return places;
}

/// Gone from the server when this goes.
std::unique_ptr<lab::RedisKeys> take_redis(const std::string& url, lab::RunOptions& options) {
    if (url.empty()) {
        return nullptr;
    }
    options.redis = lab::with_own_prefix(url);
    return std::make_unique<lab::RedisKeys>(options.redis);
}

lab::ExperimentResult play(const lab::Experiment& experiment, lab::RunOptions options) {
    Progress progress(fmt::format("{:<4}", experiment.id), 1'000);
    options.progress = [&](std::size_t done, std::size_t total) {
        progress.at(1'000 * done / total);
    };
    options.stop = [] {
        return interrupted.load();
    };
    return lab::run(experiment, options);
}

Exit run_experiments(const LabFlags& flags) {
    const auto experiments = chosen(flags);
    const lab::Language language = language_of(flags.language);
    lab::RunOptions options{.places = places_of(flags)};
    std::unique_ptr<LabReport> report;
    if (!flags.report.empty()) {
        report = std::make_unique<LabReport>(flags.report);
    }
    const CatchInterrupt catch_interrupt;
    const auto redis = take_redis(flags.redis, options);
    std::vector<lab::ExperimentResult> results;
    std::size_t missed = 0;
    for (const lab::Experiment* experiment : experiments) {
        results.push_back(play(*experiment, options));
        missed += results.back().missed().empty() ? 0U : 1U;
        if (!flags.json) {
            fmt::print("{}\n", lab::text_of(results.back(), language));
            std::fflush(stdout);
        }
    }
    if (flags.json) {
        fmt::print("{}\n", lab::json_of(results));
    } else if (results.size() > 1) {
        fmt::print("{}{}\n", lab::summary_of(results, language),
                   lab::summary(results.size(), missed).in(language));
    }
    if (report) {
        report->write(results, language);
        fmt::print(flags.json ? stderr : stdout, "{}\n", report->path());
    }
    return missed == 0 ? Exit::good : Exit::no;
}

}  // namespace

Subcommand add_lab(CLI::App& app) {
    auto flags = std::make_shared<LabFlags>();
    CLI::App* sub =
        app.add_subcommand("lab", "Show by experiment how value is lost, and what keeps it right");
    sub->require_subcommand(1);
    CLI::App* list = sub->add_subcommand("list", "List the experiments");
    list->add_flag("--json", flags->json, "For machines");
    add_language(*list, flags->language);
    CLI::App* run = sub->add_subcommand("run", "Play experiments in temporary databases");
    run->add_option("NAME", flags->names, "Experiments, such as S1")->take_all();
    run->add_flag("--all", flags->all, "Every experiment");
    run->add_option(
           "--store", flags->stores,
           "Where temporary databases are made: sqlite:FOLDER, postgresql://… or mysql://… "
           "of a server; more than once for several")
        ->type_name("URL")
        ->take_all();
    run->add_option("--standby", flags->standby, "A standby of the PostgreSQL server, for S10")
        ->type_name("URL");
    run->add_option("--redis", flags->redis,
                    "redis://HOST:PORT, where keys of locks are kept under a prefix of their own")
        ->type_name("URL");
    run->add_flag("--json", flags->json, "For machines");
    run->add_option("--report", flags->report, "Write a page with plots and time axes to DIR")
        ->type_name("DIR");
    add_language(*run, flags->language);
    run->footer(
        "Exit 0: every expectation was met; 1: one was missed; 2: could not run. No store of "
        "yours is touched.");
    CLI::App* check =
        sub->add_subcommand("check", "Hold recorded histories against what a ledger must keep to");
    check->add_option("FILE", flags->files, "Histories in JSON lines, of one run together")
        ->required()
        ->take_all();
    check->add_flag("--json", flags->json, "For machines");
    check->footer("Exit 0: every rule holds; 1: one is broken or an outcome unknown.");
    const Subcommand probe = add_lab_probe(*sub);
    // A process that an experiment starts; nobody else has anything to tell it.
    CLI::App* actor = sub->add_subcommand("actor", "")->group("");
    actor->add_option("EXPERIMENT", flags->experiment)->required();
    actor->add_option("ROLE", flags->role)->required();
    return {sub, [flags, list, check, probe, actor] {
                // Locks that are lost on purpose are told on the time axis.
                spdlog::set_level(spdlog::level::err);
                if (actor->parsed()) {
                    return lab::act(flags->experiment, flags->role) == 0 ? Exit::good
                                                                         : Exit::could_not_run;
                }
                if (probe.app->parsed()) {
                    return probe.run();
                }
                if (check->parsed()) {
                    return check_histories(flags->files, flags->json);
                }
                return list->parsed() ? run_list(*flags) : run_experiments(*flags);
            }};
}

}  // namespace passbook::cli
