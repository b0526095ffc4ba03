// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/contract.h"

#include <fmt/format.h>
#include <unistd.h>
#include <atomic>

namespace passbook::contract {
namespace {

std::filesystem::path new_folder() {
    static std::atomic<int> count{0};
    auto folder = std::filesystem::temp_directory_path() /
                  fmt::format("passbook-contract-{}-{}", ::getpid(), ++count);
    std::filesystem::create_directories(folder);
    return folder;
}

bool is_put(const ledger::Action& action) {
    return std::holds_alternative<ledger::PutAccount>(action) ||
           std::holds_alternative<ledger::PutAsset>(action);
}

template <class Row>
void take_all(store::ShardSnapshot& snapshot, std::vector<Row>& rows) {
    Row row{};
    while (snapshot.next(row)) {
        rows.push_back(row);
    }
}

template <>
void take_all(store::ShardSnapshot& snapshot, std::vector<ledger::Account>& rows) {
    ledger::Account row{.id = nobody, .asset = ledger::default_asset().code};
    while (snapshot.next(row)) {
        rows.push_back(row);
    }
}

template <>
void take_all(store::ShardSnapshot& snapshot, std::vector<ledger::Entry>& rows) {
    ledger::Entry row{.account = nobody};
    while (snapshot.next(row)) {
        rows.push_back(row);
    }
}

template <>
void take_all(store::ShardSnapshot& snapshot, std::vector<ledger::Hold>& rows) {
    ledger::Hold row{.opened = {nobody}};
    while (snapshot.next(row)) {
        rows.push_back(row);
    }
}

template <>
void take_all(store::ShardSnapshot& snapshot, std::vector<ledger::StoredRefusal>& rows) {
    ledger::StoredRefusal row{.subject = nobody, .request = {.key = Key::trusted("none")}};
    while (snapshot.next(row)) {
        rows.push_back(row);
    }
}

}  // namespace

EntryId id_of(const ledger::Record& record) {
    return record.subject().id();
}

StoreContract::StoreContract()
    : folder_(new_folder()),
      store_(GetParam().open(clock, folder_)),
      store(*store_),
      writer(store.writer()),
      reader(store.reader()) {}

StoreContract::~StoreContract() {
    reader.reset();
    writer.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
}

ledger::Answer StoreContract::run(ledger::Action action) {
    if (is_put(action)) {
        return run(ledger::Command{.action = std::move(action)});
    }
    return run(std::move(action), fmt::format("key-{}", ++keys_));
}

ledger::Answer StoreContract::run(ledger::Action action, std::string_view key) {
    return run(ledger::Command{.action = std::move(action), .key = Key::trusted(std::string(key))});
}

ledger::Answer StoreContract::run(ledger::Command command) {
    const auto request = ledger::prepare(std::move(command));
    if (!request) {
        throw std::logic_error(request.error().detail);
    }
    ledger::State state = writer->begin({ledger::need_of(request->command)});
    ledger::Changes changes;
    ledger::Answer answer = ledger::decide(state, *request, changes);
    if (changes.empty()) {
        writer->rollback();
    } else {
        writer->commit(changes);
    }
    return answer;
}

ledger::Record StoreContract::accepted(ledger::Action action) {
    return std::get<ledger::Record>(run(std::move(action)).body);
}

ledger::Record StoreContract::accepted(ledger::Action action, std::string_view key) {
    return std::get<ledger::Record>(run(std::move(action), key).body);
}

ledger::Changes StoreContract::decided(ledger::Action action, std::string_view key) {
    ledger::Command command{.action = std::move(action)};
    if (!key.empty()) {
        command.key = Key::trusted(std::string(key));
    }
    const auto request = ledger::prepare(std::move(command));
    ledger::State state = writer->begin({ledger::need_of(request->command)});
    ledger::Changes changes;
    (void)ledger::decide(state, *request, changes);
    return changes;
}

Contents StoreContract::contents() {
    Contents all{.assets = reader->assets()};
    for (int shard = 0; shard < 256; ++shard) {
        const auto snapshot = reader->snapshot(static_cast<Shard>(shard));
        take_all(*snapshot, all.accounts);
        take_all(*snapshot, all.entries);
        take_all(*snapshot, all.holds);
        take_all(*snapshot, all.refusals);
    }
    return all;
}

std::int64_t StoreContract::mint(const std::string& key) {
    return GetParam().mint(*store_, folder_, key);
}

void StoreContract::grant(const AccountId& account, Amount amount) {
    (void)accepted(ledger::Grant{account, amount, {}});
}

ledger::Account StoreContract::account(const AccountId& id) {
    const auto view = reader->account(id);
    if (!view) {
        throw std::logic_error(id.text() + " does not exist");
    }
    return view->account;
}

}  // namespace passbook::contract
