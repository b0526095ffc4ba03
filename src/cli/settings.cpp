// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "cli/subcommand.h"
#include "cli/text.h"

namespace passbook::cli {
namespace {

using Values = std::map<std::string, std::string>;

/// The name of a flag that is a setting: what asks for one run alone, such as --help, is none.
std::string setting_of(const CLI::Option& option) {
    if (option.get_lnames().empty()) {
        return "";
    }
    const std::string& name = option.get_lnames().front();
    return name == "help" || name == "config" ? "" : name;
}

CLI::Option* find_setting(CLI::App& app, const std::string& name) {
    for (CLI::Option* option : app.get_options()) {
        if (!name.empty() && setting_of(*option) == name) {
            return option;
        }
    }
    return nullptr;
}

CannotRun at(const std::string& config, const toml::source_region& where, const std::string& what) {
    return CannotRun(fmt::format("{}:{}: {}", config, where.begin.line, what));
}

std::string value_of(const std::string& config, const toml::key& key, const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) {
        return *text;
    }
    if (const auto number = node.value_exact<std::int64_t>()) {
        return std::to_string(*number);
    }
    if (const auto flag = node.value_exact<bool>()) {
        return *flag ? "true" : "false";
    }
    throw at(config, node.source(),
             fmt::format("{} must be a text, an integer or a boolean", in_quotes(key.str())));
}

/// What the file says for `chosen`, its own table before the top.
class ConfigFile {
public:
    ConfigFile(const std::string& path, CLI::App& chosen, const std::vector<CLI::App*>& subcommands)
        : path_(path), chosen_(chosen), subcommands_(subcommands) {}

    Values read() {
        toml::table file;
        try {
            file = toml::parse_file(path_);
        } catch (const toml::parse_error& error) {
            if (error.source().begin.line == 0) {
                throw CannotRun(fmt::format("{}: {}", path_, error.description()));
            }
            throw at(path_, error.source(), std::string(error.description()));
        }
        for (const auto& [key, node] : file) {
            if (node.is_table()) {
                take_table(key, *node.as_table());
            } else {
                take_top(key, node);
            }
        }
        for (const auto& [name, value] : own_) {
            top_.insert_or_assign(name, value);
        }
        return top_;
    }

private:
    void take_top(const toml::key& key, const toml::node& node) {
        const std::string name(key.str());
        const bool known =
            std::any_of(subcommands_.begin(), subcommands_.end(),
                        [&](CLI::App* app) { return find_setting(*app, name) != nullptr; });
        if (!known) {
            throw at(path_, key.source(),
                     fmt::format("{} is a setting of no subcommand", in_quotes(name)));
        }
        std::string value = value_of(path_, key, node);
        if (find_setting(chosen_, name) != nullptr) {
            top_.insert_or_assign(name, std::move(value));
        }
    }

    void take_table(const toml::key& key, const toml::table& table) {
        const auto app = std::find_if(subcommands_.begin(), subcommands_.end(),
                                      [&](CLI::App* a) { return a->get_name() == key.str(); });
        if (app == subcommands_.end()) {
            throw at(path_, key.source(), fmt::format("{} is no subcommand", in_quotes(key.str())));
        }
        for (const auto& [setting, node] : table) {
            const std::string name(setting.str());
            if (find_setting(**app, name) == nullptr) {
                throw at(path_, setting.source(),
                         fmt::format("{} is no setting of {}", in_quotes(name), key.str()));
            }
            std::string value = value_of(path_, setting, node);
            if (*app == &chosen_) {
                own_.insert_or_assign(name, std::move(value));
            }
        }
    }

    const std::string& path_;
    CLI::App& chosen_;
    const std::vector<CLI::App*>& subcommands_;
    Values top_;
    Values own_;
};

void give(CLI::Option& option, const std::string& value, const std::string& from) {
    try {
        option.add_result(value);
        option.run_callback();
    } catch (const CLI::Error&) {
        throw CannotRun(fmt::format("{}: {} is not a value that --{} takes", from, in_quotes(value),
                                    option.get_lnames().front()));
    }
}

}  // namespace

std::string variable_of(const std::string& flag) {
    std::string name = "PASSBOOK_";
    for (const char c : flag) {
        name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name;
}

void fill_in(CLI::App& chosen, const std::vector<CLI::App*>& subcommands,
             const std::string& config) {
    const Values file = config.empty() ? Values() : ConfigFile(config, chosen, subcommands).read();
    for (CLI::Option* option : chosen.get_options()) {
        const std::string name = setting_of(*option);
        if (name.empty() || option->count() > 0) {
            continue;
        }
        const std::string variable = variable_of(name);
        if (const char* value = std::getenv(variable.c_str())) {
            give(*option, value, variable);
        } else if (const auto found = file.find(name); found != file.end()) {
            give(*option, found->second, config);
        }
    }
}

}  // namespace passbook::cli
