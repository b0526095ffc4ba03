// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// What the hot path counts: plain atomics, cheap enough to be always on. Turning them into an
/// exposition format is the reader's business. Any thread may add and read.

namespace passbook {

class Counter {
public:
    void add(std::uint64_t n = 1) noexcept {
        value_.fetch_add(n, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// A histogram whose upper bounds are 1, 2, 4 … 2^(buckets-1) units; what lies above the last bound
/// is counted in total and sum alone.
class Histogram {
public:
    static constexpr std::size_t buckets = 24;

    void add(std::uint64_t value) noexcept {
        std::size_t bucket = 0;
        while (bucket < buckets && value > (std::uint64_t{1} << bucket)) {
            ++bucket;
        }
        if (bucket < buckets) {
            counts_[bucket].add();
        }
        total_.add();
        sum_.add(value);
    }

    [[nodiscard]] static constexpr std::uint64_t bound(std::size_t bucket) noexcept {
        return std::uint64_t{1} << bucket;
    }
    /// How many values fell into this bucket alone (not cumulated).
    [[nodiscard]] std::uint64_t count(std::size_t bucket) const noexcept {
        return counts_[bucket].value();
    }
    [[nodiscard]] std::uint64_t total() const noexcept {
        return total_.value();
    }
    [[nodiscard]] std::uint64_t sum() const noexcept {
        return sum_.value();
    }

private:
    std::array<Counter, buckets> counts_;
    Counter total_;
    Counter sum_;
};

}  // namespace passbook
