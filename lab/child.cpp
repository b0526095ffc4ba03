// SPDX-License-Identifier: Apache-2.0
#include "lab/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace passbook::lab {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) {
        all.push_back(text.data());
    }
    all.push_back(nullptr);
    return all;
}

/// In the new process, where other threads may have left anything half done: only calls that a
/// signal handler might make.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         int link, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);  // It ended before we asked to be told.
    }
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, nullptr);
    sigaction(SIGTERM, &ignore, nullptr);
    dup2(link, STDIN_FILENO);
    dup2(link, STDOUT_FILENO);
    execve(program, arguments, environment);
    _exit(127);
}

[[noreturn]] void fail(const char* what) {
    throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Child::Child(const Command& command) {
    std::vector<std::string> words{"passbook"};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> variables = command.environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        variables.emplace_back(*variable);
    }
    const std::vector<char*> arguments = pointers(words);
    const std::vector<char*> environment = pointers(variables);
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        fail("no link to a new process");
    }
    const pid_t self = getpid();
    id_ = fork();
    if (id_ == 0) {
        become(command.program.c_str(), arguments.data(), environment.data(), ends[1], self);
    }
    link_ = ends[0];
    close(ends[1]);
    if (id_ < 0) {
        close(link_);
        fail("no new process");
    }
}

Child::~Child() {
    kill();
    close(link_);
}

bool Child::tell(std::string_view line) {
    std::string text = fmt::format("{}\n", line);
    for (std::string_view left = text; !left.empty();) {
        const ssize_t sent = send(link_, left.data(), left.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        left.remove_prefix(sent < 0 ? 0 : static_cast<std::size_t>(sent));
    }
    return true;
}

std::optional<std::string> Child::line(std::chrono::milliseconds patience) {
    const auto until = Steady::now() + patience;
    for (;;) {
        if (const auto end = said_.find('\n'); end != std::string::npos) {
            std::string line = said_.substr(0, end);
            said_.erase(0, end + 1);
            return line;
        }
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
        pollfd socket{.fd = link_, .events = POLLIN, .revents = 0};
        if (left <= 0 || poll(&socket, 1, static_cast<int>(left)) == 0) {
            throw std::runtime_error(
                fmt::format("process {} said nothing for {} ms", id_, patience.count()));
        }
        std::array<char, 65'536> bytes{};
        const ssize_t read = recv(link_, bytes.data(), bytes.size(), 0);
        if (read == 0 || (read < 0 && errno == ECONNRESET)) {
            return std::nullopt;
        }
        said_.append(bytes.data(), read < 0 ? 0 : static_cast<std::size_t>(read));
    }
}

void Child::stop() {
    ::kill(id_, SIGSTOP);
    int status = 0;
    while (waitpid(id_, &status, WUNTRACED) < 0 && errno == EINTR) {
    }
    if (!WIFSTOPPED(status)) {
        id_ = -1;
        throw std::runtime_error("a process ended that was to be stopped");
    }
}

void Child::resume() {
    ::kill(id_, SIGCONT);
}

void Child::kill() {
    if (id_ < 0) {
        return;
    }
    ::kill(id_, SIGKILL);
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
}

}  // namespace passbook::lab
