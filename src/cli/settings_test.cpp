// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/subcommand.h"

namespace passbook::cli {
namespace {

class SettingsTest : public testing::Test {
public:
    ~SettingsTest() override {
        std::filesystem::remove(path);
        unsetenv("PASSBOOK_LISTEN");
        unsetenv("PASSBOOK_THREADS");
        unsetenv("PASSBOOK_JSON");
    }

protected:
    SettingsTest() {
        serve = app.add_subcommand("serve", "");
        serve->add_option("--store", store);
        serve->add_option("--listen", listen);
        serve->add_option("--threads", threads);
        serve->add_flag("--json", json);
        CLI::App* other = app.add_subcommand("other", "");
        other->add_option("--store", other_store);
        other->add_option("--out-file", other_store);
        subcommands = {serve, other};
    }

    void parse(const std::string& line) {
        app.parse(line);
    }

    void fill(const std::string& file) {
        std::ofstream(path) << file;
        fill_in(*serve, subcommands, path);
    }

    std::string complaint(const std::string& file) {
        try {
            fill(file);
        } catch (const CannotRun& error) {
            std::string text = error.what();
            return text.substr(text.find(path) == 0 ? path.size() : 0);
        }
        return "none";
    }

    const std::string path = testing::TempDir() + "settings_test." + std::to_string(getpid());
    CLI::App app;
    CLI::App* serve = nullptr;
    std::vector<CLI::App*> subcommands;
    std::string store = "default";
    std::string listen = "default";
    std::string other_store = "default";
    int threads = 2;
    bool json = false;
};

TEST_F(SettingsTest, ADefaultStaysWhereNothingIsSaid) {
    parse("serve");
    fill_in(*serve, subcommands, "");
    EXPECT_EQ(listen, "default");
    EXPECT_EQ(threads, 2);
}

TEST_F(SettingsTest, FlagGoesBeforeEnvironmentBeforeTableBeforeTop) {
    parse("serve --store flag");
    setenv("PASSBOOK_LISTEN", "variable", 1);
    fill("store = 'top'\nlisten = 'top'\nthreads = 3\n[serve]\nlisten = 'table'\nthreads = 4\n");
    EXPECT_EQ(store, "flag");
    EXPECT_EQ(listen, "variable");
    EXPECT_EQ(threads, 4);
}

TEST_F(SettingsTest, WhatIsSaidOfAnotherSubcommandIsLeftAlone) {
    parse("serve");
    fill("out-file = 'x'\n[other]\nstore = 'other'\n");
    EXPECT_EQ(store, "default");
    EXPECT_EQ(other_store, "default");
}

TEST_F(SettingsTest, AFlagWithoutValueTakesABoolean) {
    parse("serve");
    fill("json = true");
    EXPECT_TRUE(json);
}

TEST_F(SettingsTest, ABooleanOfTheEnvironmentMayBeFalse) {
    parse("serve");
    setenv("PASSBOOK_JSON", "false", 1);
    fill("json = true");
    EXPECT_FALSE(json);
}

TEST_F(SettingsTest, NamesTheFileAndLineOfWhatItDoesNotKnow) {
    parse("serve");
    EXPECT_EQ(complaint("\nlisten = 'x'\nlisten = 'y'\n").substr(0, 3), ":3:");
    EXPECT_EQ(complaint("\nlisen = 'x'\n"), ":2: 'lisen' is a setting of no subcommand");
    EXPECT_EQ(complaint("[serve]\nout-file = 'x'\n"), ":2: 'out-file' is no setting of serve");
    EXPECT_EQ(complaint("[sevre]\nstore = 'x'\n"), ":1: 'sevre' is no subcommand");
    EXPECT_EQ(complaint("store = 1.5\n"), ":1: 'store' must be a text, an integer or a boolean");
    EXPECT_EQ(complaint("threads = 'many'\n"), ": 'many' is not a value that --threads takes");
}

TEST_F(SettingsTest, NamesTheVariableThatHasAWrongValue) {
    parse("serve");
    setenv("PASSBOOK_THREADS", "many", 1);
    EXPECT_EQ(complaint(""), "PASSBOOK_THREADS: 'many' is not a value that --threads takes");
}

TEST_F(SettingsTest, AMissingFileIsToldByItsName) {
    parse("serve");
    try {
        fill_in(*serve, subcommands, "no/such/file.toml");
        FAIL();
    } catch (const CannotRun& error) {
        EXPECT_EQ(std::string(error.what()).rfind("no/such/file.toml: ", 0), 0U) << error.what();
    }
}

TEST(Settings, AVariableIsTheFlagInCapitals) {
    EXPECT_EQ(variable_of("log-level"), "PASSBOOK_LOG_LEVEL");
}

}  // namespace
}  // namespace passbook::cli
