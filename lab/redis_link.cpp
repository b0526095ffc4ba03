// SPDX-License-Identifier: Apache-2.0
#include "lab/redis_link.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <cstdio>
#include <random>
#include <stdexcept>

namespace passbook::lab {
namespace {

constexpr std::uint16_t port_default = 6379;
constexpr timeval patience{2, 0};

boost::urls::url parsed(const std::string& text) {
    auto url = boost::urls::parse_uri(text);
    if (!url || url->scheme() != "redis" || url->host().empty()) {
        throw std::runtime_error(
            "--redis must be of the form redis://[:PASSWORD@]HOST[:PORT][/DB]");
    }
    return boost::urls::url(*url);
}

std::uint16_t port_of(const boost::urls::url& url) {
    return url.has_port() && url.port_number() != 0 ? url.port_number() : port_default;
}

RedisLink::Reply copied(const redisReply& reply) {
    RedisLink::Reply copy{.number = reply.integer};
    if (reply.type != REDIS_REPLY_NIL) {
        copy.text = reply.str == nullptr ? "" : std::string(reply.str, reply.len);
    }
    for (std::size_t at = 0; at < reply.elements; ++at) {
        copy.list.push_back(copied(*reply.element[at]));
    }
    return copy;
}

}  // namespace

void RedisLink::Close::operator()(redisContext* context) const noexcept {
    redisFree(context);
}

RedisLink::RedisLink(const std::string& text) {
    boost::urls::url url = parsed(text);
    const std::string host = url.host_address();
    context_.reset(redisConnectWithTimeout(host.c_str(), port_of(url), patience));
    if (!context_ || context_->err != 0) {
        throw std::runtime_error(fmt::format("Redis at {}:{} does not answer: {}", host,
                                             port_of(url),
                                             context_ ? context_->errstr : "no memory"));
    }
    redisSetTimeout(context_.get(), patience);
    if (!url.password().empty()) {
        ask({"AUTH", url.user().empty() ? "default" : url.user(), url.password()});
    }
    if (const std::string database = url.path(); database.size() > 1) {
        ask({"SELECT", database.substr(1)});
    }
    if (const auto prefix = url.params().find("prefix"); prefix != url.params().end()) {
        prefix_ = (*prefix).value;
    }
}

RedisLink::~RedisLink() = default;

RedisLink::Reply RedisLink::ask(const std::vector<std::string>& words) {
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
        starts.push_back(word.data());
        sizes.push_back(word.size());
    }
    const std::unique_ptr<void, void (*)(void*)> reply(
        redisCommandArgv(context_.get(), static_cast<int>(words.size()), starts.data(),
                         sizes.data()),
        freeReplyObject);
    if (!reply) {
        throw std::runtime_error(
            fmt::format("Redis did not answer {}: {}", words.front(), context_->errstr));
    }
    const auto& told = *static_cast<const redisReply*>(reply.get());
    if (told.type == REDIS_REPLY_ERROR) {
        throw std::runtime_error(fmt::format("Redis: {}", std::string_view(told.str, told.len)));
    }
    return copied(told);
}

void RedisLink::wipe() {
    std::string cursor = "0";
    do {
        const Reply found = ask({"SCAN", cursor, "MATCH", prefix_ + "*", "COUNT", "1000"});
        cursor = *found.list.at(0).text;
        for (const Reply& key : found.list.at(1).list) {
            ask({"DEL", *key.text});
        }
    } while (cursor != "0");
}

std::string with_own_prefix(const std::string& text) {
    boost::urls::url url = parsed(text);
    if (url.has_query() || url.has_fragment()) {
        throw std::runtime_error(
            "--redis takes no options: the keys of the lab have a prefix of "
            "their own");
    }
    std::random_device random;
    url.params().append({"prefix", fmt::format("passbook:lab:{:08x}{:08x}:", random(), random())});
    const std::string made(url.buffer());
    RedisLink(made).ask({"PING"});
    return made;
}

RedisKeys::~RedisKeys() {
    try {
        RedisLink(url_).wipe();
    } catch (const std::exception& error) {
        // They all have a TTL, so this is no more than a word to whoever wonders.
        fmt::print(stderr, "passbook: lab: keys may stay until their time is over: {}\n",
                   error.what());
    }
}

std::string redis_at_port(const std::string& text, std::uint16_t port) {
    boost::urls::url url = parsed(text);
    url.set_host_ipv4(boost::urls::ipv4_address("127.0.0.1"));
    url.set_port_number(port);
    return std::string(url.buffer());
}

Endpoint endpoint_of(const std::string& text) {
    const boost::urls::url url = parsed(text);
    return {url.host_address(), port_of(url)};
}

std::string shown_redis(const std::string& text) {
    const Endpoint server = endpoint_of(text);
    return fmt::format("redis://{}:{}", server.host, server.port);
}

}  // namespace passbook::lab
