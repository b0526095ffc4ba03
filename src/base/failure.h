// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace passbook {

/// The four ways in which our side can fail. A fifth exists only when a caller would act on it.
enum class FailureKind {
    busy,         ///< Nothing was done; the same call may be made again at once.
    unavailable,  ///< Nothing was done; the same call may be made again later.
    in_doubt,     ///< It may or may not have been done; only the idempotency key can tell.
    broken,       ///< Nothing was done, and trying again does not help: corrupt or misconfigured.
};

[[nodiscard]] std::string_view name_of(FailureKind kind) noexcept;

/// Thrown inside the stores and the unit of work; the writer turns it into an answer.
///
/// `what()` is for the log and may hold native text and data; only the kind reaches a client.
class Failure : public std::runtime_error {
public:
    /// `native` is the error code as the database names it, empty where there is none.
    Failure(FailureKind kind, const std::string& what, std::string native = {})
        : std::runtime_error(what), kind_(kind), native_(std::move(native)) {}

    [[nodiscard]] FailureKind kind() const noexcept {
        return kind_;
    }
    [[nodiscard]] const std::string& native() const noexcept {
        return native_;
    }

private:
    FailureKind kind_;
    std::string native_;
};

/// A guard of the database refused a write that the decision had allowed: a bug of ours or a
/// bypass. It is told apart from other broken states because the writer then runs the batch again,
/// one command at a time, to find the one that did it.
class GuardFired : public Failure {
public:
    using Failure::Failure;
};

/// The database asks for the whole transaction again (a deadlock, a serialization failure, a lock
/// that did not come, a row that somebody else wrote first). Nothing was done; kind `busy`. Run
/// again from its first statement, the same work may well succeed.
class Conflict : public Failure {
public:
    explicit Conflict(const std::string& what, std::string native = {})
        : Failure(FailureKind::busy, what, std::move(native)) {}
};

/// What was written as new has an idempotency key that is used: the whole transaction again, with
/// a look at what the key stands for.
class KeyUsed : public Conflict {
public:
    explicit KeyUsed(const std::string& what) : Conflict(what, "key_used") {}
};

/// What was written without a look does not follow from how an account stands.
class Stale : public Conflict {
public:
    explicit Stale(const std::string& what) : Conflict(what, "stale") {}
};

}  // namespace passbook
