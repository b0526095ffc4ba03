// SPDX-License-Identifier: Apache-2.0
#include "cli/language.h"

#include <gtest/gtest.h>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace passbook::cli {
namespace {

using lab::Language;
using Values = std::map<std::string, std::string>;

/// Sets variables of the environment, and puts back what they were.
class Environment {
public:
    explicit Environment(const Values& values) {
        for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
            const char* value = std::getenv(name);
            before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
            const auto found = values.find(name);
            set(name, found == values.end() ? std::nullopt : std::optional(found->second));
        }
    }
    ~Environment() {
        for (const auto& [name, value] : before_) {
            set(name, value);
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    static void set(const std::string& name, const std::optional<std::string>& value) {
        if (value) {
            setenv(name.c_str(), value->c_str(), 1);
        } else {
            unsetenv(name.c_str());
        }
    }

    std::map<std::string, std::optional<std::string>> before_;
};

TEST(Language, TheFlagGoesBeforeTheEnvironment) {
    const Environment korean(Values{{"LC_ALL", "ko_KR.UTF-8"}});
    EXPECT_EQ(language_of("en"), Language::english);
    EXPECT_EQ(language_of("ko"), Language::korean);
    EXPECT_EQ(language_of(""), Language::korean);
}

TEST(Language, TheFirstVariableThatIsSetDecides) {
    for (const auto& [values, language] :
         {std::pair(Values{}, Language::english),
          std::pair(Values{{"LANG", "ko_KR.UTF-8"}}, Language::korean),
          std::pair(Values{{"LC_MESSAGES", "ko"}, {"LANG", "en_US.UTF-8"}}, Language::korean),
          std::pair(Values{{"LC_ALL", "C.UTF-8"}, {"LANG", "ko_KR.UTF-8"}}, Language::english),
          std::pair(Values{{"LC_ALL", ""}, {"LANG", "ko.UTF-8"}}, Language::korean),
          std::pair(Values{{"LANG", "kok_IN"}}, Language::english)}) {
        const Environment environment(values);
        EXPECT_EQ(language_of(""), language);
    }
}

}  // namespace
}  // namespace passbook::cli
