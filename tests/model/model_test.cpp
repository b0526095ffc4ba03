// SPDX-License-Identifier: Apache-2.0
#include "tests/model/model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <sstream>

#include "store/mariadb/mariadb_store.h"
#include "store/memory/memory_store.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/model/book.h"
#include "tests/servers/mariadb_database.h"
#include "tests/servers/postgres_database.h"

namespace passbook::model {
namespace {

/// Answers through a store, one transaction per request.
class Transactions {
public:
    explicit Transactions(store::Store& store) : writer_(store.writer()) {}

    ledger::Answer operator()(const ledger::Request& request) {
        ledger::State state = writer_->begin({ledger::need_of(request.command)});
        ledger::Changes changes;
        ledger::Answer answer = decide(state, request, changes);
        if (changes.empty()) {
            writer_->rollback();
        } else {
            writer_->commit(changes);
        }
        return answer;
    }

private:
    std::unique_ptr<store::Writer> writer_;
};

void compare(store::Store& store, ManualClock& clock, const std::vector<Step>& steps) {
    Transactions transactions(store);
    Book book([&](const ledger::Request& request) { return transactions(request); }, clock);
    Model model;
    for (const Step& step : steps) {
        const std::string expected = model.apply(step);
        const std::string answer = book.apply(step);
        RC_LOG() << step << " -> " << answer << '\n';
        RC_ASSERT(answer == expected);
    }
    const auto reader = store.reader();
    for (const auto& [name, account] : model.books()) {
        const auto real = reader->account(AccountId::trusted(name));
        RC_ASSERT(real.has_value());
        RC_ASSERT(real->account.balance == account.balance);
        RC_ASSERT(real->account.held == account.held);
        RC_ASSERT(real->account.seq == account.seq);
    }
}

class ModelOnDisk : public testing::Test {
public:
    ~ModelOnDisk() override {
        std::filesystem::remove_all(folder_);
    }

protected:
    ModelOnDisk()
        : folder_(std::filesystem::temp_directory_path() /
                  ("passbook-model-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }

    [[nodiscard]] std::string new_path() const {
        return (folder_ / "store.db").string();
    }

private:
    std::filesystem::path folder_;
};

RC_GTEST_PROP(Model, AgreesWithTheMemoryStoreOnEveryAnswer, (const std::vector<Step>& steps)) {
    ManualClock clock(Instant{0});
    store::memory::MemoryStore store(clock);
    compare(store, clock, steps);
}

RC_GTEST_FIXTURE_PROP(ModelOnDisk, AgreesWithTheSqliteStoreOnEveryAnswer,
                      (const std::vector<Step>& steps)) {
    ManualClock clock(Instant{0});
    const auto store = store::sqlite::open(new_path(), store::Access::write, clock);
    compare(*store, clock, steps);
}

/// Fewer cases than on the others: the database that each of them makes takes the most of its time.
template <class Database>
void compare_on_server(std::unique_ptr<store::Store> (*open)(const std::string&, store::Access,
                                                             const Clock&)) {
    auto params = rc::detail::configuration().testParams;
    params.maxSuccess = 20;
    const auto result = rc::detail::checkTestable(
        [&](const std::vector<Step>& steps) {
            ManualClock clock(Instant{0});
            const Database database;
            const auto store = open(database.url(), store::Access::write, clock);
            compare(*store, clock, steps);
        },
        rc::detail::TestMetadata{}, params);
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

TEST(ModelOnServer, AgreesWithThePostgresStoreOnEveryAnswer) {
    compare_on_server<test::PostgresDatabase>(store::postgres::open);
}

TEST(ModelOnServer, AgreesWithTheMariadbStoreOnEveryAnswer) {
    compare_on_server<test::MariadbDatabase>(store::mariadb::open);
}

}  // namespace
}  // namespace passbook::model
