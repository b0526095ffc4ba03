// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "store/postgres/connection.h"

/// Databases in the private PostgreSQL that postgres_fixture.py has started for this test run.

namespace passbook::test {

/// Where a test finds the server: the URL of the database that all others are copied from, and
/// which roles there are besides the one in the URL. Throws std::runtime_error where no server was
/// started: a test that cannot run has failed.
class PostgresServer {
public:
    PostgresServer() {
        const char* file = std::getenv("PASSBOOK_TEST_POSTGRES");
        std::ifstream in(file == nullptr ? "postgres.server" : file);
        std::string folder;
        if (!std::getline(in, folder) || !std::getline(in, url_)) {
            throw std::runtime_error("no PostgreSQL is there for this test: run it by ctest");
        }
    }

    /// As `role`, in `database`; every role has the one password.
    [[nodiscard]] std::string url(const std::string& role, const std::string& database) const {
        constexpr std::string_view scheme = "postgresql://";
        const std::string behind = url_.substr(url_.find(':', scheme.size()));
        return std::string(scheme) + role + behind.substr(0, behind.find('/') + 1) + database;
    }

    /// Runs statements as the superuser.
    void run(const std::string& sql, const std::string& database = "postgres") const {
        store::postgres::Connection(store::postgres::Address(url("postgres", database)),
                                    store::Purpose::manage)
            .run(sql);
    }

private:
    std::string url_;
};

/// A new database, gone with this object. It holds an empty store with the roles of
/// sql/postgres/roles.sql, or nothing at all.
class PostgresDatabase {
public:
    enum class With { store, nothing };

    explicit PostgresDatabase(With with = With::store) {
        static std::atomic<int> count{0};
        name_ = "test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
        server_.run("CREATE DATABASE " + name_ +
                    (with == With::store ? " TEMPLATE passbook" : " TEMPLATE template0"));
    }
    ~PostgresDatabase() {
        try {
            server_.run("DROP DATABASE " + name_ + " WITH (FORCE)");
        } catch (const Failure& failure) {
            // The cluster goes at the end of the run, and this one with it.
            std::cerr << name_ << " stays: " << failure.what() << '\n';
        }
    }
    PostgresDatabase(const PostgresDatabase&) = delete;
    PostgresDatabase& operator=(const PostgresDatabase&) = delete;

    /// As the role that `passbook serve` has.
    [[nodiscard]] std::string url() const {
        return server_.url("passbook_server", name_);
    }
    [[nodiscard]] std::string url(const std::string& role) const {
        return server_.url(role, name_);
    }
    [[nodiscard]] const std::string& name() const noexcept {
        return name_;
    }

    /// Runs statements in it as the superuser.
    void run(const std::string& sql) const {
        server_.run(sql, name_);
    }

private:
    PostgresServer server_;
    std::string name_;
};

}  // namespace passbook::test
