// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <openssl/evp.h>
#include <memory>

#include "base/assert.h"

namespace passbook {
namespace {

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const noexcept {
        EVP_MD_CTX_free(context);
    }
};

/// Fetching the algorithm by name takes longer than hashing a command, so it is done once.
const EVP_MD* algorithm() {
    static EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return fetched;
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
    thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
    Sha256 digest{};
    unsigned size = 0;
    const bool done = context != nullptr &&
                      EVP_DigestInit_ex2(context.get(), algorithm(), nullptr) == 1 &&
                      EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                      EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1;
    PASSBOOK_ASSERT(done && size == digest.size());
    return digest;
}

std::string to_hex(const std::uint8_t* bytes, std::size_t size) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(size * 2);
    for (std::size_t i = 0; i < size; ++i) {
        text.push_back(digits[bytes[i] >> 4U]);
        text.push_back(digits[bytes[i] & 0x0FU]);
    }
    return text;
}

}  // namespace passbook
