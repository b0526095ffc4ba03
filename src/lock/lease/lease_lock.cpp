// SPDX-License-Identifier: Apache-2.0
#include "lock/lease/lease_lock.h"

namespace passbook::lock::lease {
namespace {

class LeaseLock final : public Service {
public:
    explicit LeaseLock(std::unique_ptr<store::Leases> leases) : leases_(std::move(leases)) {}

    [[nodiscard]] std::string describe() const override {
        return "leases of " + leases_->describe();
    }

    [[nodiscard]] Taking take(const Claim& claim, Steady::time_point) override {
        try {
            auto answer = leases_->take(claim.keys, claim.token.hex(), claim.ttl);
            return {.how = answer.taken ? Taking::How::taken : Taking::How::busy,
                    .left = answer.left,
                    .fences = std::move(answer.fences)};
        } catch (const Conflict&) {
            return {.how = Taking::How::busy};  // somebody is taking it right now
        } catch (const Failure& failure) {
            return {.how = failure.kind() == FailureKind::in_doubt ? Taking::How::unknown
                                                                   : Taking::How::unavailable,
                    .why = failure.what()};
        }
    }

    [[nodiscard]] Renewed renew(const Claim& claim, Steady::time_point) override {
        try {
            switch (leases_->renew(claim.keys, claim.token.hex(), claim.ttl)) {
                case store::LeaseHeld::ours:
                    return Renewed::renewed;
                case store::LeaseHeld::nobodys:
                    return Renewed::gone;
                case store::LeaseHeld::others:
                    return Renewed::taken;
            }
        } catch (const Failure&) {
            // What it was is of no use to anybody: it is asked again.
        }
        return Renewed::unknown;
    }

    [[nodiscard]] Released release(const Claim& claim, Steady::time_point) override {
        try {
            switch (leases_->release(claim.keys, claim.token.hex())) {
                case store::LeaseHeld::ours:
                    return Released::released;
                case store::LeaseHeld::nobodys:
                    return Released::already_expired;
                case store::LeaseHeld::others:
                    return Released::not_owner;
            }
        } catch (const Failure&) {
            // As above.
        }
        return Released::unknown;
    }

    [[nodiscard]] std::optional<Look> look(const std::string& key, Steady::time_point) override {
        try {
            const auto standing = leases_->look(key, "");
            return Look{.held = standing.held != store::LeaseHeld::nobodys, .left = standing.left};
        } catch (const Failure&) {
            return std::nullopt;
        }
    }

private:
    const std::unique_ptr<store::Leases> leases_;
};

}  // namespace

std::unique_ptr<Service> open(std::unique_ptr<store::Leases> leases) {
    return std::make_unique<LeaseLock>(std::move(leases));
}

}  // namespace passbook::lock::lease
