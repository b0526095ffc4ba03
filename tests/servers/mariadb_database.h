// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "store/mariadb/connection.h"
#include "store/mariadb/mariadb_store.h"

/// Databases in the private MariaDB that mariadb_fixture.py has started for this test run.

namespace passbook::test {

/// Where a test finds the server. Throws std::runtime_error where none was started: a test that
/// cannot run has failed.
class MariadbServer {
public:
    MariadbServer() {
        const char* file = std::getenv("PASSBOOK_TEST_MARIADB");
        std::ifstream in(file == nullptr ? "mariadb.server" : file);
        std::string folder;
        std::string roles;
        if (!std::getline(in, folder) || !std::getline(in, url_) || !std::getline(in, roles)) {
            throw std::runtime_error("no MariaDB is there for this test: run it by ctest");
        }
        std::ifstream file_of_roles(roles);
        const std::string text{std::istreambuf_iterator<char>(file_of_roles), {}};
        constexpr std::string_view begin = "DELIMITER //\n";
        const auto start = text.find(begin) + begin.size();
        roles_ = text.substr(start, text.find("//\nDELIMITER ;") - start);
    }

    /// As `user`, in `database`; every user has the one password.
    [[nodiscard]] std::string url(const std::string& user, const std::string& database) const {
        constexpr std::string_view scheme = "mysql://";
        const std::string behind = url_.substr(url_.find(':', scheme.size()));
        return std::string(scheme) + user + behind.substr(0, behind.find('/') + 1) + database;
    }

    /// Runs one statement as the superuser.
    void run(const std::string& sql, const std::string& database = "mysql") const {
        store::mariadb::Connection(store::mariadb::Address(url("root", database)),
                                   store::Purpose::manage)
            .run(sql);
    }

    /// What sql/mariadb/roles.sql does, for one database of many.
    void grant(const std::string& database) const {
        store::mariadb::Connection connection(store::mariadb::Address(url("root", "mysql")),
                                              store::Purpose::manage);
        connection.run("SET @store = '" + database + "'");
        connection.run(roles_);
    }

private:
    std::string url_;
    std::string roles_;  ///< The one statement of the file.
};

/// A new database, gone with this object. It holds an empty store with the users of
/// sql/mariadb/roles.sql, or nothing at all.
class MariadbDatabase {
public:
    enum class With { store, nothing };

    explicit MariadbDatabase(With with = With::store) {
        static std::atomic<int> count{0};
        name_ = "test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
        if (with == With::nothing) {
            server_.run("CREATE DATABASE " + name_);
            return;
        }
        server_.grant(name_);
        store::mariadb::migrate(url("passbook_owner"));
        server_.grant(name_);
    }
    ~MariadbDatabase() {
        try {
            server_.run("DROP DATABASE " + name_);
        } catch (const Failure&) {
            // The server goes at the end of the run, and this one with it.
        }
    }
    MariadbDatabase(const MariadbDatabase&) = delete;
    MariadbDatabase& operator=(const MariadbDatabase&) = delete;

    /// As the user that `passbook serve` has.
    [[nodiscard]] std::string url() const {
        return url("passbook_server");
    }
    [[nodiscard]] std::string url(const std::string& user) const {
        return server_.url(user, name_);
    }
    [[nodiscard]] const std::string& name() const noexcept {
        return name_;
    }

    /// Runs one statement in it as the superuser.
    void run(const std::string& sql) const {
        server_.run(sql, name_);
    }

private:
    MariadbServer server_;
    std::string name_;
};

}  // namespace passbook::test
