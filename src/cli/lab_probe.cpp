// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_probe.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/language.h"
#include "cli/text.h"
#include "http/json_writer.h"
#include "lab/figures.h"
#include "lab/probe/probe.h"

namespace passbook::cli {
namespace {

namespace probe = lab::probe;
using lab::say;
using lab::Text;
using probe::Verdict;

/// So that as many requests as there may be, of this amount each, still fit a number.
constexpr std::int64_t flag_max = 1'000'000'000'000;

struct ProbeFlags {
    std::string request;
    std::vector<std::string> headers;
    std::string body;
    std::string balance;
    std::string balance_at;
    std::string keys = "different";
    std::string accepted = "2xx";
    std::string refused = "4xx";
    std::string floor = "0";
    std::string start;
    std::vector<std::string> confirmed;
    std::string language;
    std::int64_t count = 100;
    std::int64_t parallel = 20;
    std::int64_t amount = 0;
    std::int64_t timeout_s = 10;
    std::int64_t settle_s = 2;
    bool json = false;
};

/// The value, or the line that says what is wrong with the flag.
template <class T>
T value_of(const char* flag, Result<T, std::string> result) {
    if (!result) {
        throw CannotRun(fmt::format("{}: {}", flag, result.error()));
    }
    return std::move(*result);
}

std::int64_t number_of(const char* flag, const std::string& text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end || number > flag_max || number < -flag_max) {
        throw CannotRun(
            fmt::format("{}: {} is no whole number within 10^12", flag, in_quotes(text)));
    }
    return number;
}

/// Headers go with both requests; those with a placeholder only with the load.
void take_headers(const ProbeFlags& flags, probe::Probe& made) {
    for (const std::string& text : flags.headers) {
        const auto header = value_of("--header", probe::parse_header(text));
        made.request.headers.push_back(header);
        if (text.find("{key}") == std::string::npos && text.find("{n}") == std::string::npos) {
            made.balance.headers.push_back(header);
        }
    }
}

/// The addresses of the host, none of which is away from this machine unless that was confirmed.
std::vector<http::Peer> peers_of(const char* flag, const probe::Endpoint& endpoint,
                                 const ProbeFlags& flags) {
    auto peers = value_of(flag, http::find_peers(endpoint.host, endpoint.port));
    const bool is_here = std::all_of(peers.begin(), peers.end(),
                                     [](const http::Peer& peer) { return peer.is_loopback; });
    const bool is_confirmed = std::find(flags.confirmed.begin(), flags.confirmed.end(),
                                        endpoint.host) != flags.confirmed.end();
    if (!is_here && !is_confirmed) {
        throw CannotRun(fmt::format(
            "{} ({}) is not this machine: nothing was sent; if it may be loaded with {}, say "
            "--confirm {}",
            endpoint.host, peers.front().address,
            counted(static_cast<std::uint64_t>(flags.count), "request", "requests"),
            endpoint.host));
    }
    return peers;
}

/// The first that lets us connect.
http::Peer reachable(const char* flag, const std::vector<http::Peer>& peers,
                     std::chrono::milliseconds deadline) {
    std::string reason;
    for (const http::Peer& peer : peers) {
        http::SingleRequest request(peer, deadline);
        const auto refused = request.connect();
        if (!refused) {
            return peer;
        }
        reason = *refused;
    }
    throw CannotRun(fmt::format("{}: nobody answers at {}:{}: {}", flag, peers.front().host,
                                peers.front().port, reason));
}

/// So that no key was seen before.
std::string new_prefix() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format("probe-{:x}-{:x}",
                       std::chrono::duration_cast<std::chrono::microseconds>(now).count(),
                       getpid());
}

probe::Probe probe_of(const ProbeFlags& flags) {
    probe::Probe made{.balance_at = flags.balance_at,
                      .count = flags.count,
                      .parallel = flags.parallel,
                      .keys = flags.keys == "same" ? probe::Keys::same : probe::Keys::different,
                      .key_prefix = new_prefix(),
                      .accepted = value_of("--accepted", probe::Statuses::parse(flags.accepted)),
                      .refused = value_of("--refused", probe::Statuses::parse(flags.refused)),
                      .amount = flags.amount,
                      .deadline = std::chrono::seconds(flags.timeout_s),
                      .settle = std::chrono::seconds(flags.settle_s)};
    made.request.endpoint = value_of("--request", probe::parse_endpoint(flags.request));
    made.request.body = flags.body;
    made.balance.endpoint = value_of("--balance", probe::parse_endpoint(flags.balance));
    take_headers(flags, made);
    if (flags.amount == 0) {
        throw CannotRun("--amount: what one request takes cannot be 0");
    }
    if (!flags.balance_at.empty() && flags.balance_at.front() != '/') {
        throw CannotRun("--balance-at: a JSON pointer begins with /, such as /balance");
    }
    if (made.keys == probe::Keys::same && !made.request.mentions("{key}")) {
        throw CannotRun("--keys same: say with {key} where the request has its key");
    }
    made.floor =
        flags.floor == "none" ? std::nullopt : std::optional(number_of("--floor", flags.floor));
    if (!flags.start.empty()) {
        made.start = number_of("--start", flags.start);
    }
    const auto request_peers = peers_of("--request", made.request.endpoint, flags);
    const auto balance_peers = peers_of("--balance", made.balance.endpoint, flags);
    made.request_peer = reachable("--request", request_peers, made.deadline);
    made.balance_peer = reachable("--balance", balance_peers, made.deadline);
    return made;
}

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::right:
            return "right";
        case Verdict::made:
            return "made";
        case Verdict::lost:
            return "lost";
        case Verdict::odd:
            return "odd";
        case Verdict::unknown:
            return "unknown";
        case Verdict::untested:
            break;
    }
    return "untested";
}

Text sentence_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::right:
            return {"RIGHT", "맞음"};
        case Verdict::made:
            return {"MONEY WAS MADE", "돈이 생겨남"};
        case Verdict::lost:
            return {"MONEY WAS LOST", "돈이 사라짐"};
        case Verdict::odd:
            return {"WRONG", "틀림"};
        case Verdict::unknown:
            return {"COULD NOT TELL", "알 수 없음"};
        case Verdict::untested:
            break;
    }
    return {"NOT TESTED", "시험되지 않음"};
}

Exit exit_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::right:
            return Exit::good;
        case Verdict::made:
        case Verdict::lost:
        case Verdict::odd:
            return Exit::no;
        case Verdict::unknown:
        case Verdict::untested:
            break;
    }
    return Exit::could_not_run;
}

void print_text(const probe::Probe& made, const probe::Outcome& outcome, lab::Language in) {
    std::string answers;
    for (const auto& [answer, count] : outcome.answers) {
        answers += fmt::format("{}{} x {}", answers.empty() ? "" : ", ", answer, count);
    }
    const bool is_same = made.keys == probe::Keys::same;
    const probe::Counts& counts = outcome.counts;
    fmt::print("{}",
               say("{} {}:{}{}, {} requests, {} at once, {}\n",
                   "{} {}:{}{}, 요청 {}건, 한 번에 {}건, {}\n", made.request.endpoint.method,
                   made.request.endpoint.host, made.request.endpoint.port,
                   made.request.endpoint.target, made.count, std::min(made.parallel, made.count),
                   is_same ? Text("one key for all", "모두 같은 키")
                           : Text("a key for each", "저마다 다른 키"))
                   .in(in));
    fmt::print("{}", say("  accepted {}, refused {}, unknown {}   ({})\n",
                         "  승인 {}, 거절 {}, 결과 모름 {}   ({})\n", counts.accepted,
                         counts.refused, counts.unknown, answers)
                         .in(in));
    fmt::print("{}", say("  balance {} before, {} after\n", "  잔액 처음 {}, 나중 {}\n",
                         outcome.before, outcome.after)
                         .in(in));
    fmt::print("{}", say("{}: {}.\n", "{}: {}.\n", sentence_of(outcome.judgement.verdict),
                         outcome.judgement.why)
                         .in(in));
}

void print_json(const probe::Outcome& outcome) {
    std::string out;
    http::JsonWriter json(out);
    json.begin_object().name("verdict").text(name_of(outcome.judgement.verdict));
    json.name("why").text(outcome.judgement.why.in(lab::Language::english));
    json.name("accepted").number(outcome.counts.accepted);
    json.name("refused").number(outcome.counts.refused);
    json.name("unknown").number(outcome.counts.unknown);
    json.name("not_sent").number(outcome.not_sent);
    json.name("answers").begin_object();
    for (const auto& [answer, count] : outcome.answers) {
        json.name(answer).number(count);
    }
    json.end_object();
    json.name("balance_before").number(outcome.before);
    json.name("balance_after").number(outcome.after);
    json.name("least").number(static_cast<std::int64_t>(outcome.judgement.least));
    json.name("most").number(static_cast<std::int64_t>(outcome.judgement.most));
    json.name("micros").number(
        std::chrono::duration_cast<std::chrono::microseconds>(outcome.time).count());
    json.end_object();
    fmt::print("{}\n", out);
}

Exit run_probe(const ProbeFlags& flags) {
    const probe::Probe made = probe_of(flags);
    const probe::Outcome outcome = probe::run(made);
    if (flags.json) {
        print_json(outcome);
    } else {
        print_text(made, outcome, language_of(flags.language));
    }
    return exit_of(outcome.judgement.verdict);
}

void add_load_flags(CLI::App& sub, ProbeFlags& flags) {
    sub.add_option("--request", flags.request, "What is fired, such as 'POST http://…/spend'")
        ->required();
    sub.add_option("--header", flags.headers, "'Name: value', for both requests; more than once")
        ->take_all();
    sub.add_option("--body", flags.body, "Body of the request; {key} and {n} are filled in");
    sub.add_option("--count", flags.count, "How many requests in all")
        ->check(CLI::Range(std::int64_t{1}, probe::count_max))
        ->capture_default_str();
    sub.add_option("--parallel", flags.parallel, "How many are on their way at once")
        ->check(CLI::Range(std::int64_t{1}, probe::parallel_max))
        ->capture_default_str();
    sub.add_option("--keys", flags.keys, "same: all are one request, sent again; or different")
        ->check(CLI::IsMember({"same", "different"}))
        ->capture_default_str();
    sub.add_option("--accepted", flags.accepted, "Statuses of a yes")->capture_default_str();
    sub.add_option("--refused", flags.refused, "Statuses of a no without effect; others: unknown")
        ->capture_default_str();
    sub.add_option("--timeout", flags.timeout_s, "Seconds for each request")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{600}))
        ->capture_default_str();
    sub.add_option("--confirm", flags.confirmed,
                   "A host that is not this machine and may be loaded")
        ->type_name("HOST")
        ->take_all();
}

void add_balance_flags(CLI::App& sub, ProbeFlags& flags) {
    sub.add_option("--balance", flags.balance, "What reads it, such as 'GET http://…/balance'")
        ->required();
    sub.add_option("--balance-at", flags.balance_at, "Where it is in the answer: a JSON pointer")
        ->required();
    sub.add_option("--amount", flags.amount, "What one request takes; negative where it gives")
        ->required()
        ->check(CLI::Range(-flag_max, flag_max));
    sub.add_option("--start", flags.start, "What the balance must be at the beginning");
    sub.add_option("--floor", flags.floor, "Below which it may not be, or none")
        ->capture_default_str();
    sub.add_option("--settle", flags.settle_s, "Seconds until it must be right")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{600}))
        ->capture_default_str();
}

}  // namespace

Subcommand add_lab_probe(CLI::App& lab) {
    auto flags = std::make_shared<ProbeFlags>();
    CLI::App* sub = lab.add_subcommand(
        "probe", "Fire a load at any HTTP endpoint, and see whether money is made or lost");
    add_load_flags(*sub, *flags);
    add_balance_flags(*sub, *flags);
    sub->add_flag("--json", flags->json, "For machines");
    add_language(*sub, flags->language);
    sub->footer(
        "Exit 0: the balance is right; 1: money was made or lost; 2: it could not be told. A "
        "request with {key} or {n} gets another for each.");
    return {sub, [flags] {
                return run_probe(*flags);
            }};
}

}  // namespace passbook::cli
