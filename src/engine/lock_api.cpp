// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>

#include "base/failure.h"
#include "base/id.h"
#include "engine/locks.h"
#include "passbook/lock.h"

namespace passbook {
namespace {

bool is_plain(std::string_view column) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.';
    };
    return !column.empty() && std::all_of(column.begin(), column.end(), plain);
}

std::string compared(std::string_view column, std::string_view how, std::int64_t number) {
    if (!is_plain(column)) {
        throw std::invalid_argument("the name of a column has letters, digits, `_` and a dot");
    }
    return fmt::format("{} {} {}", column, how, number);
}

Acquisition::Result result_of(lock::Acquired acquired) noexcept {
    switch (acquired) {
        case lock::Acquired::acquired:
            return Acquisition::Result::acquired;
        case lock::Acquired::busy:
            return Acquisition::Result::busy;
        case lock::Acquired::timeout:
            return Acquisition::Result::timeout;
        case lock::Acquired::unavailable:
            return Acquisition::Result::unavailable;
        case lock::Acquired::cancelled:
            break;
    }
    return Acquisition::Result::cancelled;
}

}  // namespace

std::string Fence::set(std::string_view column) const {
    return compared(column, "=", number);
}

std::string Fence::allows(std::string_view column) const {
    return compared(column, "<=", number);
}

// Lock --------------------------------------------------------------------------------------------

struct Lock::Impl {
    lock::Guard guard;
};

Lock::Lock(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Lock::Lock(Lock&&) noexcept = default;
Lock& Lock::operator=(Lock&&) noexcept = default;
Lock::~Lock() = default;

const std::string& Lock::key() const noexcept {
    return impl_->guard.keys().front();
}

Fence Lock::fence() const noexcept {
    return {impl_->guard.fence()};
}

bool Lock::valid() const noexcept {
    return impl_->guard.valid();
}

std::stop_token Lock::stop_token() const {
    return impl_->guard.stop_token();
}

std::string_view Lock::lost() const noexcept {
    const auto loss = impl_->guard.lost();
    return loss ? lock::name_of(*loss) : std::string_view();
}

std::string_view Lock::release() noexcept {
    return lock::name_of(impl_->guard.release());
}

// Locks -------------------------------------------------------------------------------------------

struct Locks::Impl {
    std::unique_ptr<lock::Locks> locks;
};

Locks Locks::open(const std::string& service, const std::string& store) {
    return open(service, store, Times());
}

Locks Locks::open(const std::string& service, const std::string& store, const Times& times) {
    const lock::Settings settings{.ttl = times.ttl,
                                  .margin = times.margin,
                                  .io_timeout = times.io_timeout,
                                  .hold_max = times.hold_max};
    try {
        auto locks = engine::open_locks(service, store, settings);
        if (locks == nullptr) {
            throw Error(Error::Kind::malformed, "`none` is no lock service");
        }
        return Locks(std::make_unique<Impl>(Impl{std::move(locks)}));
    } catch (const Failure& failure) {
        throw Error(
            failure.kind() == FailureKind::broken ? Error::Kind::broken : Error::Kind::unavailable,
            failure.what());
    }
}

Locks::Locks(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Locks::Locks(Locks&&) noexcept = default;
Locks& Locks::operator=(Locks&&) noexcept = default;
Locks::~Locks() = default;

Acquisition Locks::acquire(const std::string& key, std::chrono::milliseconds wait,
                           std::stop_token cancel) {
    if (!valid_id(key)) {
        throw Error(Error::Kind::malformed, fmt::format("`{}` is no key of a lock", key));
    }
    auto answer = impl_->locks->acquire({{key}, wait, std::move(cancel)});
    Acquisition acquisition{.result = result_of(answer.result), .lock = {}};
    if (answer.what) {
        acquisition.lock = Lock(std::make_unique<Lock::Impl>(Lock::Impl{std::move(*answer.what)}));
    }
    return acquisition;
}

void Locks::note_late_write(const Lock& lock) {
    impl_->locks->note_stale_write(lock.key(), lock.fence().number);
}

std::uint64_t Locks::late_writes() const noexcept {
    return impl_->locks->counters().stale_writes.value();
}

}  // namespace passbook
