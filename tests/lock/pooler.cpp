// SPDX-License-Identifier: Apache-2.0
#include "tests/lock/pooler.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/lock/proxy.h"

namespace passbook::lock_tests {
namespace {

constexpr std::string_view scheme = "postgresql://";

/// `user:password@host:port/database`, taken apart.
struct Parts {
    explicit Parts(std::string_view url) {
        url.remove_prefix(scheme.size());
        const auto colon = url.find(':');
        const auto at = url.find('@');
        const auto port_at = url.find(':', at);
        const auto slash = url.find('/', at);
        user = url.substr(0, colon);
        password = url.substr(colon + 1, at - colon - 1);
        port = url.substr(port_at + 1, slash - port_at - 1);
        database = url.substr(slash + 1);
    }

    std::string user;
    std::string password;
    std::string port;
    std::string database;
};

}  // namespace

Pooler::Pooler(const std::string& url) {
    std::string pattern = std::filesystem::temp_directory_path() / "passbook-pooler-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::runtime_error("no folder for a pooler");
    }
    folder_ = pattern;
    ::chmod(folder_.c_str(), 0755);
    const Parts parts(url);
    const std::uint16_t port = free_port();
    std::ofstream(folder_ / "users") << '"' << parts.user << "\" \"" << parts.password << "\"\n";
    std::ofstream(folder_ / "pooler.ini")
        << "[databases]\n"
        << parts.database << " = host=127.0.0.1 port=" << parts.port
        << "\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " << port
        << "\nunix_socket_dir =\nauth_type = plain\nauth_file = " << (folder_ / "users").string()
        << "\npool_mode = transaction\nignore_startup_parameters = options,extra_float_digits\n";
    launch(port);
    url_ = std::string(scheme) + parts.user + ":" + parts.password +
           "@127.0.0.1:" + std::to_string(port) + "/" + parts.database;
}

Pooler::~Pooler() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void Pooler::launch(std::uint16_t port) {
    const std::string file = folder_ / "pooler.ini";
    process_ = ::fork();
    if (process_ == 0) {
        const int null = ::open("/dev/null", O_RDWR);
        ::dup2(null, STDOUT_FILENO);
        ::dup2(null, STDERR_FILENO);
        if (::geteuid() == 0) {  // it refuses to run as root
            ::execl("/usr/sbin/pgbouncer", "pgbouncer", "-u", "nobody", file.c_str(), nullptr);
        }
        ::execl("/usr/sbin/pgbouncer", "pgbouncer", file.c_str(), nullptr);
        ::_exit(127);
    }
    for (int i = 0; i < 1'000; ++i) {
        if (answers(port)) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("no pooler is there for this test: install pgbouncer");
}

}  // namespace passbook::lock_tests
