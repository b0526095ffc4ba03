// SPDX-License-Identifier: Apache-2.0
// What a wrong decision would write is refused by the store itself, and nothing of it stays. Each
// row takes changes that are right and spoils one thing.
#include "tests/contract/contract.h"

namespace passbook::contract {

GuardContract::GuardContract() {
    grant(alice, 100);
    grant(bob, 100);
    (void)run(ledger::PutAccount{.account = alice, .ceiling = 1000});
    hold = id_of(accepted(ledger::PlaceHold{alice, 60, 3600}));
    transfer = id_of(accepted(ledger::Transfer{alice, bob, 10}));
    (void)accepted(ledger::Reverse{.transaction = transfer, .amount = 4, .postings = {}});
}

void GuardContract::expect_refused(const std::vector<Spoiled>& rows) {
    const Contents before = contents();
    for (const auto& [what, action, spoil, is_taken] : rows) {
        const bool put = std::holds_alternative<ledger::PutAccount>(action) ||
                         std::holds_alternative<ledger::PutAsset>(action);
        ledger::Changes changes = decided(action, put ? "" : "new-key");
        ASSERT_FALSE(changes.empty()) << what;
        spoil(changes);
        try {
            writer->commit(changes);
            ADD_FAILURE() << what;
        } catch (const Conflict&) {
            EXPECT_TRUE(is_taken) << what;
        } catch (const GuardFired&) {
            EXPECT_FALSE(is_taken && store.shared()) << what;
        }
        EXPECT_EQ(contents(), before) << what;
    }
}

void GuardContract::expect_taken(const std::vector<Spoiled>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ledger::Changes changes = decided(rows[i].action, "right-" + std::to_string(i));
        EXPECT_NO_THROW(writer->commit(changes)) << rows[i].what;
    }
}

namespace {

using ledger::Changes;
using ledger::CommitHold;
using ledger::Entry;
using ledger::EntryKind;
using ledger::Grant;
using ledger::PlaceHold;
using ledger::Reverse;
using ledger::SetStatus;
using ledger::Spend;
using ledger::Transfer;
using ledger::VoidHold;

Entry& first(Changes& changes) {
    return changes.entries.at(0);
}
Entry& second(Changes& changes) {
    return changes.entries.at(1);
}

void rename(Entry& entry, const std::string& key) {
    entry.request->key = Key::trusted(key);
}

TEST_P(GuardContract, AnEntryMustFollowFromItsAccount) {
    const std::vector<Spoiled> rows{
        {"seq skips", Grant{alice, 5, {}},
         [](auto& c) {
             first(c).seq += 1;
         }},
        {"seq repeats", Grant{alice, 5, {}}, [](auto& c) { first(c).seq -= 1; }, true},
        {"balance_after", Grant{alice, 5, {}},
         [](auto& c) {
             first(c).balance_after += 1;
         }},
        {"amount", Grant{alice, 5, {}},
         [](auto& c) {
             first(c).amount += 1;
         }},
        {"held_after", Spend{alice, 5, {}},
         [](auto& c) {
             first(c).held_after -= 1;
         }},
        {"recorded earlier", Grant{alice, 5, {}},
         [](auto& c) {
             first(c).recorded_at.micros -= 1;
         }},
        {"an unknown account", Grant{alice, 5, {}},
         [](auto& c) {
             first(c).account = nobody;
             first(c).seq = 1;
         }},
        {"the key of an entry", Spend{alice, 5, {}},
         [](auto& c) { first(c).request->key = Key::trusted("key-1"); }, true},
        {"no key", Spend{alice, 5, {}},
         [](auto& c) {
             first(c).request.reset();
         }},
    };
    expect_refused(rows);
    expect_taken(rows);
}

TEST_P(GuardContract, NoEntryPassesTheFloorOrTheCeiling) {
    expect_refused({
        {"below the floor", Spend{alice, 34, {}},
         [](auto& c) {
             first(c).amount -= 1;
             first(c).balance_after -= 1;
         }},
        {"holding below the floor", PlaceHold{alice, 34, 60},
         [](auto& c) {
             first(c).held_change += 1;
             first(c).held_after += 1;
         }},
        {"above the ceiling", Grant{alice, 906, {}},
         [](auto& c) {
             first(c).amount += 1;
             first(c).balance_after += 1;
         }},
        {"a floor above what is available", ledger::PutAccount{.account = alice, .floor = 34},
         [](auto& c) {
             first(c).limits->floor = 35;
         }},
        {"a ceiling below the balance", ledger::PutAccount{.account = alice, .ceiling = 94},
         [](auto& c) {
             first(c).limits->ceiling = 93;
         }},
        {"out of range", Grant{bob, 5, {}},
         [](auto& c) {
             first(c).amount = amount_max;
             first(c).balance_after += amount_max - 5;
         }},
    });
    (void)accepted(Spend{alice, 34, {}});
}

TEST_P(GuardContract, AnEntryHasTheShapeOfItsKind) {
    const std::vector<Spoiled> rows{
        {"a grant that debits", Spend{alice, 5, {}},
         [](auto& c) {
             first(c).kind = EntryKind::grant;
         }},
        {"a spend that credits", Grant{alice, 5, {}},
         [](auto& c) {
             first(c).kind = EntryKind::spend;
         }},
        {"a freeze that moves", Grant{alice, 5, {}},
         [](auto& c) {
             first(c).kind = EntryKind::freeze;
         }},
        {"a hold that moves the balance", PlaceHold{bob, 5, 60},
         [](auto& c) {
             first(c).amount = -1;
             first(c).balance_after -= 1;
         }},
        {"a hold without an end", PlaceHold{bob, 5, 60},
         [](auto& c) {
             first(c).expires_at.reset();
         }},
        {"a transfer of nothing", Transfer{alice, bob, 5},
         [](auto& c) {
             first(c).amount = 0;
             first(c).balance_after += 5;
         }},
        {"a close with a balance", SetStatus{bob, EntryKind::freeze},
         [](auto& c) {
             first(c).kind = EntryKind::close;
         }},
        {"a leg with a key", Transfer{alice, bob, 5},
         [](auto& c) {
             second(c).request = first(c).request;
         }},
    };
    expect_refused(rows);
    expect_taken(rows);
}

TEST_P(GuardContract, ALegBelongsToTheSubjectsEntry) {
    expect_refused({
        {"of another kind", Transfer{alice, bob, 5},
         [](auto& c) {
             second(c).kind = EntryKind::transaction;
         }},
        {"of an older entry", Transfer{alice, bob, 5},
         [](auto& c) {
             second(c).subject->seq = 1;
         }},
        {"of itself", Transfer{alice, bob, 5},
         [](auto& c) {
             second(c).subject = {bob, second(c).seq};
         }},
        {"before it, of another kind", Transfer{alice, bob, 5},
         [](auto& c) {
             std::swap(first(c), second(c));
             first(c).kind = EntryKind::transaction;
         }},
    });
    Changes changes = decided(Transfer{alice, bob, 5}, "t");
    std::swap(first(changes), second(changes));
    EXPECT_NO_THROW(writer->commit(changes)) << "a leg may come before its subject";
}

TEST_P(GuardContract, ReversalsStayWithinTheEntryTheyTakeBack) {
    const Reverse rest{.transaction = transfer, .amount = 6, .postings = {}};
    const std::vector<Spoiled> rows{
        {"more than is left", rest,
         [](auto& c) {
             first(c).amount += 1;
             first(c).balance_after += 1;
         }},
        {"of the same sign", rest,
         [](auto& c) {
             first(c).amount = -6;
             first(c).balance_after -= 12;
         }},
        {"of an entry of another transaction", rest,
         [](auto& c) {
             first(c).reverses = 1;
         }},
        {"of a hold", rest,
         [](auto& c) {
             first(c).reverses = 3;
         }},
        {"of a reversal", rest,
         [](auto& c) {
             first(c).reverses = 5;
         }},
        {"of no entry", rest,
         [](auto& c) {
             first(c).reverses = 99;
         }},
        {"without saying of what", rest,
         [](auto& c) {
             first(c).reverses.reset();
         }},
        {"of no transaction", rest,
         [](auto& c) {
             first(c).target = 99;
         }},
    };
    expect_refused(rows);
    expect_taken({rows[0]});
    const auto answer = run(Reverse{.transaction = transfer, .amount = {}, .postings = {}});
    EXPECT_EQ(std::get<ledger::Refusal>(answer.body).code, Code::already_reversed);
}

TEST_P(GuardContract, AHoldEndsOnceAndWhole) {
    const std::vector<Spoiled> rows{
        {"released in part", VoidHold{hold},
         [](auto& c) {
             first(c).held_change = -59;
             first(c).held_after = 1;
         }},
        {"committed for more than it holds", CommitHold{.hold = hold, .amount = 60, .to = {}},
         [](auto& c) {
             first(c).amount = -61;
             first(c).balance_after -= 1;
         }},
        {"of another account", VoidHold{hold},
         [](auto& c) {
             first(c).target = 99;
         }},
        {"expired before it is due", VoidHold{hold},
         [](auto& c) {
             first(c).kind = EntryKind::expire;
             first(c).request.reset();
         }},
        {"ended twice in one batch", VoidHold{hold},
         [](auto& c) {
             Entry again = first(c);
             again.seq += 1;
             rename(again, "again");
             again.held_after -= 60;
             c.entries.push_back(again);
         }},
    };
    expect_refused(rows);
    expect_taken({rows[0]});
    const Contents before = contents();
    Changes changes = decided(PlaceHold{alice, 60, 3600}, "h2");
    Entry twice = first(changes);
    twice.kind = EntryKind::void_hold;
    twice.seq += 1;
    twice.held_change = -60;
    twice.held_after -= 60;
    twice.expires_at.reset();
    twice.target = hold.seq;
    rename(twice, "v2");
    changes.entries.push_back(twice);
    EXPECT_THROW(writer->commit(changes), GuardFired) << "ended twice, with another hold open";
    EXPECT_EQ(contents(), before);
}

TEST_P(GuardContract, AFrozenAccountTakesNoPostingAndAClosedOneNothing) {
    const auto entry_after = [](const Entry& last, EntryKind kind, Amount amount) {
        Entry entry{.account = last.account, .seq = last.seq + 1, .kind = kind, .amount = amount};
        entry.balance_after = last.balance_after + amount;
        entry.held_after = last.held_after;
        entry.recorded_at = last.recorded_at;
        entry.request = last.request;
        rename(entry, "after");
        return entry;
    };
    (void)accepted(SetStatus{bob, EntryKind::freeze});
    const auto refused = [&](const Entry& entry) {
        (void)writer->begin({ledger::Need{.accounts = {entry.account}}});
        EXPECT_THROW(writer->commit(Changes{.entries = {entry}}), GuardFired)
            << name_of(entry.kind);
    };
    refused(entry_after(reader->entries(bob, 3, 1).at(0), EntryKind::grant, 5));
    refused(entry_after(reader->entries(bob, 3, 1).at(0), EntryKind::spend, -5));

    grant(carol, 5);
    (void)accepted(Spend{carol, 5, {}});
    (void)accepted(SetStatus{carol, EntryKind::close});
    for (const auto& [kind, amount] : {std::pair{EntryKind::grant, Amount{5}},
                                       {EntryKind::unfreeze, 0},
                                       {EntryKind::freeze, 0}}) {
        refused(entry_after(reader->entries(carol, 2, 1).at(0), kind, amount));
    }
}

TEST_P(GuardContract, AnAccountOpensOnceAndEmpty) {
    expect_refused({
        {"twice", Grant{carol, 5, {}}, [](auto& c) { c.opened.push_back(c.opened[0]); }, true},
        {"that exists", Grant{carol, 5, {}},
         [](auto& c) {
             c.opened.at(0).id = alice;
         }},
        {"in no asset", Grant{carol, 5, {}},
         [](auto& c) {
             c.opened.at(0).asset = AssetCode::trusted("none");
         }},
        {"above its balance", Grant{carol, 5, {}},
         [](auto& c) {
             c.opened.at(0).limits.floor = c.opened.at(0).opening_limits.floor = 1;
         }},
        {"with a ceiling below it", Grant{carol, 5, {}},
         [](auto& c) {
             c.opened.at(0).limits.ceiling = c.opened.at(0).opening_limits.ceiling = -1;
         }},
    });
    grant(carol, 5);
}

TEST_P(GuardContract, ARefusalsKeyIsNew) {
    (void)run(Spend{alice, 1000, {}}, "refused");
    expect_refused({
        {"the key of an entry", Spend{alice, 1001, {}},
         [](auto& c) { c.refusals.at(0).request.key = Key::trusted("key-1"); }, true},
        {"the key of a refusal", Spend{alice, 1001, {}},
         [](auto& c) { c.refusals.at(0).request.key = Key::trusted("refused"); }, true},
        {"an entry under the key of a refusal", Spend{alice, 1, {}},
         [](auto& c) { first(c).request->key = Key::trusted("refused"); }, true},
        {"on no account", Spend{alice, 1001, {}},
         [](auto& c) {
             c.refusals.at(0).subject = nobody;
         }},
    });
    (void)run(Spend{alice, 1001, {}}, "new-key");
    EXPECT_TRUE(reader->outcome({alice, Key::trusted("new-key")}).has_value());
}

TEST_P(GuardContract, AnAssetInUseKeepsItsMeaning) {
    const auto point = ledger::default_asset().code;
    expect_refused({
        {"scale", ledger::PutAsset{.asset = point, .ceiling = 5},
         [](auto& c) {
             c.assets.at(0).scale = 2;
         }},
        {"balanced", ledger::PutAsset{.asset = point, .ceiling = 5},
         [](auto& c) {
             c.assets.at(0).balanced = true;
         }},
    });
    (void)run(ledger::PutAsset{.asset = point, .ceiling = 5});
    EXPECT_EQ(reader->asset(point)->ceiling, 5);
    EXPECT_TRUE(reader->asset(point)->used);
}

TEST_P(GuardContract, OneBadEntryTakesTheWholeBatchWithIt) {
    const Contents before = contents();
    auto state = writer->begin({ledger::Need{.accounts = {alice, bob}}});
    Changes changes;
    for (const auto& [id, key] : {std::pair{bob, "b1"}, {alice, "b2"}, {bob, "b3"}}) {
        const auto request =
            ledger::prepare({.action = Grant{id, 5, {}}, .key = Key::trusted(key)});
        (void)ledger::decide(state, *request, changes);
    }
    second(changes).balance_after += 1;
    EXPECT_THROW(writer->commit(changes), GuardFired);
    EXPECT_EQ(contents(), before);
    grant(bob, 1);
}

}  // namespace
}  // namespace passbook::contract
