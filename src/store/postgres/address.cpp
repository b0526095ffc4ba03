// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/address.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "base/failure.h"

namespace passbook::store::postgres {
namespace {

struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept {
        PQconninfoFree(options);
    }
};

/// libpq's complaint without what it quotes: that can be the whole URL. The name of an option it
/// does not know is no secret.
std::string without_quotes(char* error) {
    const std::unique_ptr<char, void (*)(void*)> owned(error, PQfreemem);
    const std::string text = error == nullptr ? "out of memory" : error;
    if (text.starts_with("invalid URI query parameter")) {
        return text.substr(0, text.find('\n'));
    }
    return text.substr(0, text.find_first_of("\"\n"));
}

/// As a part of a URL: what would end it, or start another part, in percent signs.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '%' || c == '/' || c == '@' || c == ':' || c == '?' || c == '#' || c <= ' ') {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out;
}

std::vector<std::string_view> split(std::string_view list) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto comma = list.find(',');
        parts.push_back(list.substr(0, comma));
        if (comma == std::string_view::npos) {
            return parts;
        }
        list.remove_prefix(comma + 1);
    }
}

/// Settings that the URL's own `options` may change.
std::string_view time_outs(Purpose purpose) {
    switch (purpose) {
        case Purpose::write:
            return "-c lock_timeout=5s -c statement_timeout=10s "
                   "-c idle_in_transaction_session_timeout=15s";
        case Purpose::read:
        case Purpose::stale:
            // A snapshot may be walked for long, and a writer is never kept waiting by it.
            return "-c lock_timeout=5s -c statement_timeout=60s "
                   "-c idle_in_transaction_session_timeout=0";
        case Purpose::manage:
        case Purpose::tables:
            break;
    }
    return "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0";
}

/// Settings that our statements rely on.
std::string_view fixed_settings(Purpose purpose, Reach reach) {
    switch (purpose) {
        case Purpose::write:
        case Purpose::read:
        case Purpose::stale:
            // Every look-up is by a key and finds a row or two, whatever its parameters: planned
            // once, not for every batch. A plan made while the tables were still empty would read
            // them from end to end for as long as it lives; compiling one costs more than it runs.
            // An engine that spreads by shard must see the shard to plan.
            if (reach == Reach::one_shard) {
                return "-c search_path=passbook,pg_catalog -c TimeZone=UTC -c jit=off "
                       "-c enable_seqscan=off";
            }
            return "-c search_path=passbook,pg_catalog -c TimeZone=UTC -c jit=off "
                   "-c enable_seqscan=off -c enable_bitmapscan=off "
                   "-c plan_cache_mode=force_generic_plan";
        case Purpose::manage:
            return "-c search_path=passbook,pg_catalog -c TimeZone=UTC";
        case Purpose::tables:
            break;
    }
    return "-c default_transaction_read_only=on";
}

/// The URL without the option that is ours: libpq refuses what it does not know.
std::pair<std::string, Reach> without_reach(const std::string& url) {
    constexpr std::string_view name = "one_shard=";
    const std::size_t query = url.find('?');
    std::size_t at = query;
    while (at != std::string::npos && url.compare(at + 1, name.size(), name) != 0) {
        at = url.find('&', at + 1);
    }
    if (at == std::string::npos) {
        return {url, Reach::all_shards};
    }
    const std::size_t end = std::min(url.find('&', at + 1), url.size());
    const std::string value = url.substr(at + 1 + name.size(), end - at - 1 - name.size());
    if (value != "true" && value != "false") {
        throw Failure(FailureKind::broken,
                      "the option one_shard of the store's URL is true or false");
    }
    std::string rest = url.substr(0, at) + url.substr(end);
    if (at == query && end < url.size()) {
        rest[at] = '?';
    }
    return {rest, value == "true" ? Reach::one_shard : Reach::all_shards};
}

/// Which of several hosts will do. What a reader shows holds every acknowledged write, so it, too,
/// asks the primary.
void choose_host(Purpose purpose, std::map<std::string, std::string>& all) {
    if (purpose == Purpose::tables) {
        return;
    }
    if (purpose == Purpose::stale) {
        all.emplace("target_session_attrs", "prefer-standby");
        return;
    }
    std::string& chosen = all["target_session_attrs"];
    if (chosen != "primary" && chosen != "read-write") {
        chosen = purpose == Purpose::read ? "primary" : "read-write";
    }
}

}  // namespace

Address::Address(const std::string& url) {
    const auto [libpqs, reach] = without_reach(url);
    reach_ = reach;
    char* error = nullptr;
    const std::unique_ptr<PQconninfoOption, FreeOptions> options(
        PQconninfoParse(libpqs.c_str(), &error));
    if (!options) {
        throw Failure(FailureKind::broken,
                      fmt::format("the store's URL cannot be read ({}); it has the form "
                                  "postgresql://user@host:port/database?option=value",
                                  without_quotes(error)));
    }
    for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr) {
            given_.emplace(option->keyword, option->val);
        }
    }
}

std::string Address::describe() const {
    const auto part = [&](const std::string& keyword) {
        const auto found = given_.find(keyword);
        return found == given_.end() ? std::string() : found->second;
    };
    const std::string hosts = part("host").empty() ? part("hostaddr") : part("host");
    const std::string ports = part("port");
    const auto port_list = split(ports);
    std::string places;
    std::size_t at = 0;
    for (const std::string_view host : split(hosts)) {
        const std::string_view port = port_list.size() == 1   ? port_list[0]
                                      : at < port_list.size() ? port_list[at]
                                                              : "";
        places += fmt::format("{}{}{}{}", at == 0 ? "" : ",", escaped(host),
                              port.empty() ? "" : ":", port);
        ++at;
    }
    const std::string user = part("user");
    const std::string database = part("dbname");
    return fmt::format("postgresql://{}{}{}{}{}", escaped(user), user.empty() ? "" : "@", places,
                       database.empty() ? "" : "/", escaped(database));
}

std::vector<Address> Address::hosts() const {
    const auto list = given_.contains("host") ? given_.find("host") : given_.find("hostaddr");
    const std::size_t count = list == given_.end() ? 1 : split(list->second).size();
    std::vector<Address> alone(count, *this);
    for (const std::string keyword : {"host", "hostaddr", "port"}) {
        const auto found = given_.find(keyword);
        if (found == given_.end()) {
            continue;
        }
        const auto parts = split(found->second);
        for (std::size_t i = 0; i < count && parts.size() == count; ++i) {
            alone[i].given_[keyword] = parts[i];
        }
    }
    return alone;
}

std::map<std::string, std::string> Address::parameters(Purpose purpose) const {
    std::map<std::string, std::string> all = given_;
    all.emplace("application_name", "passbook");
    all.emplace("connect_timeout", "5");
    all.emplace("tcp_user_timeout", "10000");
    all.emplace("keepalives_idle", "15");
    all.emplace("keepalives_interval", "5");
    all.emplace("keepalives_count", "3");
    choose_host(purpose, all);
    all.insert_or_assign("client_encoding", "UTF8");
    const auto own = given_.find("options");
    all.insert_or_assign("options", fmt::format("{} {} {}", time_outs(purpose),
                                                own == given_.end() ? "" : own->second,
                                                fixed_settings(purpose, reach_)));
    return all;
}

}  // namespace passbook::store::postgres
