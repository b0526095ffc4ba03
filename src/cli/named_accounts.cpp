// SPDX-License-Identifier: Apache-2.0
#include "cli/named_accounts.h"

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "cli/csv_reader.h"

namespace passbook::cli {
namespace {

using Account = NamedAccounts::Account;

[[noreturn]] void fail_on_file() {
    throw FileError(fmt::format("a temporary file for the account ids: {}", std::strerror(errno)));
}

/// One sorted sequence of accounts: a spilled file or what is in memory.
class Source {
public:
    explicit Source(std::FILE* file) : file_(file) {
        if (std::fseek(file, 0, SEEK_SET) != 0) {
            fail_on_file();
        }
        advance();
    }
    explicit Source(const std::vector<Account>& accounts) : accounts_(&accounts) {
        advance();
    }

    [[nodiscard]] const std::optional<Account>& head() const {
        return head_;
    }

    void advance() {
        head_.reset();
        if (file_ == nullptr) {
            if (at_ < accounts_->size()) {
                head_ = (*accounts_)[at_++];
            }
            return;
        }
        // Neither an id nor an asset code can hold a tab, and both are short.
        char line[256];
        if (std::fgets(line, sizeof line, file_) == nullptr) {
            if (std::ferror(file_) != 0) {
                fail_on_file();
            }
            return;
        }
        const std::string_view text(line);
        const std::size_t tab = text.find('\t');
        head_ = Account(text.substr(0, tab), text.substr(tab + 1, text.size() - tab - 2));
    }

private:
    std::FILE* file_ = nullptr;
    const std::vector<Account>* accounts_ = nullptr;
    std::size_t at_ = 0;
    std::optional<Account> head_;
};

std::vector<Account> sorted(const std::unordered_map<std::string, std::string>& accounts) {
    std::vector<Account> list(accounts.begin(), accounts.end());
    std::sort(list.begin(), list.end());
    return list;
}

/// The source with the smallest id at its head, of equal ones the first; nullptr at the end.
Source* next_of(std::vector<Source>& sources) {
    Source* next = nullptr;
    for (Source& source : sources) {
        if (source.head() && (next == nullptr || source.head()->first < next->head()->first)) {
            next = &source;
        }
    }
    return next;
}

}  // namespace

void NamedAccounts::add(const std::string& id, const std::string& asset) {
    accounts_.try_emplace(id, asset);
    if (accounts_.size() >= in_memory_max_) {
        spill();
    }
}

void NamedAccounts::spill() {
    File file(std::tmpfile(), std::fclose);
    if (!file) {
        fail_on_file();
    }
    for (const auto& [id, asset] : sorted(accounts_)) {
        fmt::print(file.get(), "{}\t{}\n", id, asset);
    }
    if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) {
        fail_on_file();
    }
    spilled_.push_back(std::move(file));
    accounts_.clear();
}

void NamedAccounts::each(const std::function<void(const Account&)>& take) {
    const std::vector<Account> in_memory = sorted(accounts_);
    std::vector<Source> sources;
    for (const File& file : spilled_) {
        sources.emplace_back(file.get());
    }
    sources.emplace_back(in_memory);
    while (const Source* next = next_of(sources)) {
        const Account account = *next->head();
        take(account);
        for (Source& source : sources) {
            if (source.head() && source.head()->first == account.first) {
                source.advance();
            }
        }
    }
}

}  // namespace passbook::cli
