// SPDX-License-Identifier: Apache-2.0
#include "audit/key_audit.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/sha256.h"

namespace passbook::audit {
namespace {

/// Beyond this the rows are repeats of a few keys, which no further halving tells apart.
constexpr unsigned bits_max = 48;

}  // namespace

bool KeyAudit::Part::holds(const Hash& hash) const {
    std::uint64_t low = 0;
    std::memcpy(&low, hash.data(), sizeof low);
    return (low & ((std::uint64_t{1} << bits) - 1)) == value;
}

void KeyAudit::begin() {
    part_ = {};
    left_out_.clear();
    kept_.clear();
}

void KeyAudit::add(const Key& key, std::int64_t seq) {
    const Sha256 digest = sha256(key.text());
    Hash hash{};
    std::copy_n(digest.begin(), hash.size(), hash.begin());
    if (!part_.holds(hash)) {
        return;
    }
    while (kept_.size() >= kept_max_ && part_.bits < bits_max) {
        halve();
        if (!part_.holds(hash)) {
            return;
        }
    }
    kept_.push_back({hash, seq});
}

/// Keeps the keys whose next bit is 0 and puts the others off to a later pass.
void KeyAudit::halve() {
    left_out_.push_back({part_.value | (std::uint64_t{1} << part_.bits), part_.bits + 1});
    ++part_.bits;
    std::erase_if(kept_, [this](const Kept& kept) { return !part_.holds(kept.hash); });
}

std::vector<Repeat> KeyAudit::repeats() {
    std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
        return std::tie(a.hash, a.seq) < std::tie(b.hash, b.seq);
    });
    std::vector<Repeat> found;
    for (std::size_t i = 1; i < kept_.size(); ++i) {
        if (kept_[i].hash == kept_[i - 1].hash) {
            found.push_back({kept_[i - 1].seq, kept_[i].seq});
        }
    }
    return found;
}

bool KeyAudit::next_pass() {
    kept_.clear();
    if (left_out_.empty()) {
        return false;
    }
    part_ = left_out_.back();
    left_out_.pop_back();
    return true;
}

}  // namespace passbook::audit
