// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_check.h"

#include <fmt/format.h>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "cli/progress.h"
#include "cli/text.h"
#include "http/json_writer.h"
#include "lab/checker/check.h"
#include "lab/checker/history_reader.h"

namespace passbook::cli {
namespace {

using lab::checker::Verification;

std::uint64_t size_of(const std::string& file) {
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(file, ignored);
    return ignored ? 0 : size;
}

void read_file(const std::string& file, lab::checker::HistoryReader& reader) {
    std::ifstream in(file);
    if (!in) {
        throw CannotRun(fmt::format("{}: cannot be read", in_quotes(file)));
    }
    Progress progress("reading", size_of(file));
    std::uint64_t bytes = 0;
    std::uint64_t number = 0;
    for (std::string line; std::getline(in, line);) {
        bytes += line.size() + 1;
        progress.at(bytes, ++number);
        try {
            reader.line(line);
        } catch (const lab::checker::BadLine& bad) {
            throw CannotRun(fmt::format("{}:{}: {}", file, number, bad.what()));
        }
    }
    if (in.bad()) {
        throw CannotRun(fmt::format("{}: cannot be read to its end", in_quotes(file)));
    }
}

void print_json(const Verification& verification) {
    std::string out;
    http::JsonWriter json(out);
    json.begin_object().name("passed").boolean(verification.good());
    json.name("calls").number(static_cast<std::int64_t>(verification.calls));
    json.name("entries").number(static_cast<std::int64_t>(verification.entries));
    json.name("unresolved").number(static_cast<std::int64_t>(verification.unresolved));
    json.name("violations").begin_array();
    for (const auto& finding : verification.findings) {
        json.begin_object().name("rule").text(number_of(finding.rule));
        json.name("name").text(name_of(finding.rule));
        json.name("count").number(static_cast<std::int64_t>(finding.count));
        json.name("witness").text(finding.witness).end_object();
    }
    json.end_array().end_object();
    fmt::print("{}\n", out);
}

void print_text(const Verification& verification) {
    fmt::print("{}, {}, {}\n", counted(verification.calls, "call", "calls"),
               counted(verification.entries, "entry", "entries"),
               counted(verification.unresolved, "unknown outcome", "unknown outcomes"));
    for (const auto& finding : verification.findings) {
        fmt::print("{:<4}{}, broken {}: {}\n", number_of(finding.rule), name_of(finding.rule),
                   counted(finding.count, "time", "times"), finding.witness);
    }
    if (verification.findings.empty()) {
        fmt::print("Every rule holds{}.\n", verification.good() ? "" : ", as far as is known");
    }
}

}  // namespace

Exit check_histories(const std::vector<std::string>& files, bool json) {
    lab::checker::HistoryReader reader;
    for (const std::string& file : files) {
        read_file(file, reader);
    }
    const Verification verification = check(std::move(reader).finish());
    if (json) {
        print_json(verification);
    } else {
        print_text(verification);
    }
    return verification.good() ? Exit::good : Exit::no;
}

}  // namespace passbook::cli
