// SPDX-License-Identifier: Apache-2.0
#include "lab/checker/history_reader.h"

#include <gtest/gtest.h>

#include "lab/checker/check.h"

namespace passbook::lab::checker {
namespace {

const std::vector<std::string> good_lines{
    R"({"ev":"invoke","i":1,"p":3,"t":100,"op":"grant","subject":"a","key":"k1")"
    R"(,"args":{"amount":100}})",
    R"({"ev":"ok","i":1,"p":3,"t":120,"http":201,"tx":"a:1","body_sha":"x")"
    R"(,"acct":[{"id":"a","seq":1,"bal":100}]})",
    R"({"ev":"invoke","i":2,"p":3,"t":130,"op":"transfer","subject":"a","key":"k2")"
    R"(,"args":{"to":"b","amount":30},"node":"A"})",
    "",
    R"({"ev":"invoke","i":1,"p":4,"t":131,"op":"spend","subject":"a","key":"k3")"
    R"(,"args":{"amount":200}})",
    R"({"ev":"ok","i":2,"p":3,"t":140,"tx":"a:2"})",
    R"({"ev":"fail","i":1,"p":4,"t":141,"http":422,"code":"insufficient_balance"})",
    R"({"ev":"fault","t":142,"what":"kill"})",
    R"({"ev":"invoke","i":3,"p":3,"t":150,"op":"read"})",
    R"({"ev":"ok","i":3,"p":3,"t":151,"acct":[{"id":"a","seq":2,"bal":70},{"id":"b")"
    R"(,"seq":1,"bal":30}]})",
    R"({"ev":"account","id":"a","balance":70,"seq":2,"floor":0})",
    R"({"ev":"account","id":"b","balance":30,"seq":1,"floor":null})",
    R"({"ev":"entry","account":"a","seq":1,"kind":"grant","amount":100)"
    R"(,"balance_after":100,"tx":"a:1","key":"k1"})",
    R"({"ev":"entry","account":"a","seq":2,"kind":"transfer","amount":-30)"
    R"(,"balance_after":70,"tx":"a:2","key":"k2"})",
    R"({"ev":"entry","account":"b","seq":1,"kind":"transfer","amount":30)"
    R"(,"balance_after":30,"tx":"a:2"})",
};

History read(const std::vector<std::string>& lines) {
    HistoryReader reader;
    for (const std::string& line : lines) {
        reader.line(line);
    }
    return std::move(reader).finish();
}

TEST(HistoryReader, ReadsWhatTheCheckerDecidesOn) {
    const History history = read(good_lines);
    EXPECT_EQ(history.calls.size(), 4U);
    EXPECT_EQ(history.dumps.size(), 1U);
    EXPECT_EQ(history.calls[2].returned, 141U);
    EXPECT_EQ(history.legs[1].amount, -30);
    const Verification verification = check(history);
    EXPECT_TRUE(verification.good()) << verification.findings.at(0).witness;
    EXPECT_EQ(verification.entries, 3U);
}

TEST(HistoryReader, WhatHasNoAnswerMayHaveHappened) {
    auto lines = good_lines;
    lines.erase(lines.begin() + 5);
    const Verification verification = check(read(lines));
    EXPECT_EQ(verification.unresolved, 1U);
    EXPECT_TRUE(verification.findings.empty()) << verification.findings[0].witness;
}

TEST(HistoryReader, AChangedFigureIsFound) {
    auto lines = good_lines;
    lines.back() = R"({"ev":"entry","account":"b","seq":1,"kind":"transfer","amount":29)"
                   R"(,"balance_after":30,"tx":"a:2"})";
    std::vector<Rule> rules;
    for (const Finding& finding : check(read(lines)).findings) {
        rules.push_back(finding.rule);
    }
    EXPECT_EQ(rules, (std::vector<Rule>{Rule::atomic, Rule::conservation, Rule::running_balance}));
}

struct Bad {
    std::string line;
    std::string part;
};

class BadLines : public testing::TestWithParam<Bad> {};

TEST_P(BadLines, AreRefusedWithAReason) {
    try {
        (void)read({GetParam().line});
        FAIL() << "was read";
    } catch (const BadLine& error) {
        EXPECT_NE(std::string(error.what()).find(GetParam().part), std::string::npos)
            << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(
    HistoryReader, BadLines,
    testing::Values(Bad{"{", "too early"}, Bad{"[]", "'ev' must be"}, Bad{R"({"ev":"x"})", "'ev'"},
                    Bad{R"({"ev":"ok","p":1,"i":1,"t":1})", "not invoked"},
                    Bad{R"({"ev":"invoke","p":1,"i":1,"op":"read"})", "no 't'"},
                    Bad{R"({"ev":"invoke","p":1,"i":1,"t":1,"op":"steal"})", "'steal'"},
                    Bad{R"({"ev":"invoke","p":1,"i":1,"t":1,"op":"spend"})", "'key'"},
                    Bad{R"({"ev":"account","id":"a","seq":1,"balance":1.5})", "whole number"}));

}  // namespace
}  // namespace passbook::lab::checker
