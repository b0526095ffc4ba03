// SPDX-License-Identifier: Apache-2.0
#include "lab/redis_link.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "lab/endpoint.h"

namespace passbook::lab {
namespace {

constexpr timeval patience{2, 0};

boost::urls::url parsed(const std::string& text) {
    auto url = boost::urls::parse_uri(text);
    if (!url || url->scheme() != "redis" || url->host().empty()) {
        throw std::runtime_error(
            "--redis must be of the form redis://[:PASSWORD@]HOST[:PORT][/DB]");
    }
    return boost::urls::url(*url);
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
    const Endpoint server = endpoint_of(text);
    context_.reset(redisConnectWithTimeout(server.host.c_str(), server.port, patience));
    if (!context_ || context_->err != 0) {
        throw std::runtime_error(fmt::format("Redis at {}:{} does not answer: {}", server.host,
                                             server.port,
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

std::string redis_below(const std::string& text, std::string_view name) {
    boost::urls::url url = parsed(text);
    const auto prefix = url.params().find("prefix");
    const std::string longer = fmt::format(
        "{}{}:", prefix == url.params().end() ? "" : std::string((*prefix).value), name);
    url.params().set("prefix", longer);
    return std::string(url.buffer());
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

std::string shown_redis(const std::string& text) {
    const Endpoint server = endpoint_of(text);
    return fmt::format("redis://{}:{}", server.host, server.port);
}

}  // namespace passbook::lab
