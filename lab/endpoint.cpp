// SPDX-License-Identifier: Apache-2.0
#include "lab/endpoint.h"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <stdexcept>

namespace passbook::lab {
namespace {

boost::urls::url parsed(const std::string& text) {
    const auto url = boost::urls::parse_uri(text);
    // Of a list of hosts it makes one that ends at the first comma, or holds one.
    const bool is_one = url && !url->host().empty() && !url->encoded_host().contains(',') &&
                        !url->encoded_path().starts_with(',');
    if (!is_one) {
        throw std::runtime_error("a server that is to be cut off needs a URL of one host");
    }
    return boost::urls::url(*url);
}

std::uint16_t usual_port(std::string_view scheme) {
    if (scheme == "redis") {
        return 6379;
    }
    return scheme.starts_with("postgres") ? 5432 : 3306;
}

}  // namespace

Endpoint endpoint_of(const std::string& text) {
    const boost::urls::url url = parsed(text);
    const std::uint16_t port = url.has_port() ? url.port_number() : 0;
    return {url.host_address(), port != 0 ? port : usual_port(url.scheme())};
}

std::string at_port(const std::string& text, std::uint16_t port) {
    boost::urls::url url = parsed(text);
    url.set_host_ipv4(boost::urls::ipv4_address("127.0.0.1"));
    url.set_port_number(port);
    return std::string(url.buffer());
}

}  // namespace passbook::lab
