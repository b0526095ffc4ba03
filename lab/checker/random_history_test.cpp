// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <algorithm>
#include <functional>
#include <random>

#include "lab/checker/check.h"
#include "lab/checker/story_test.h"

namespace passbook::lab::checker {
namespace {

class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}

    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
    }
    template <class T>
    T& of(std::vector<T>& all) {
        return all.at(below(all.size()));
    }

private:
    std::mt19937 engine_;
};

/// Calls that overlap, on few accounts with little on them, so that they meet and are refused.
Story random_story(Random& random, std::size_t steps) {
    Story story;
    std::vector<std::string> accounts{"a", "b", "c", "d"};
    std::vector<std::size_t> holds;
    std::vector<std::size_t> calls;
    for (std::size_t n = 0; n < steps; ++n) {
        const std::string key = "k" + std::to_string(n);
        const std::size_t who = random.below(4);
        const std::string& account = accounts[who];
        const std::string& other = accounts[(who + 1 + random.below(3)) % 4];
        const auto amount = static_cast<std::int64_t>(1 + random.below(9));
        story.before = random.below(60);
        story.after = random.below(60);
        switch (random.below(9)) {
            case 0:
            case 1:
                calls.push_back(story.grant(account, 2 * amount, key));
                break;
            case 2:
            case 3:
                calls.push_back(story.spend(account, amount, key));
                break;
            case 4:
                calls.push_back(story.transfer(account, other, amount, key));
                break;
            case 5:
                if (const auto held = story.hold(account, amount, key);
                    story.call(held).verdict == Verdict::ok) {
                    holds.push_back(held);
                }
                break;
            case 6:
                if (!holds.empty()) {
                    amount % 2 == 0 ? story.commit(holds.back(), 0, key)
                                    : story.void_hold(holds.back(), key);
                    holds.pop_back();
                }
                break;
            case 7:
                story.read();
                break;
            default:
                if (!calls.empty()) {
                    story.again(random.of(calls));
                }
        }
        if (n == steps / 2) {
            story.dump();
        }
    }
    story.dump();
    return story;
}

/// A fault planted in a good story; false where the story has no place for it.
struct Fault {
    Rule rule;
    std::function<bool(Story&, Random&)> plant;
};

bool any_call(Story& story, Random& random, const std::function<bool(const Call&)>& fits,
              const std::function<void(Call&)>& spoil) {
    std::vector<Call*> found;
    for (Call& call : story.history.calls) {
        if (fits(call)) {
            found.push_back(&call);
        }
    }
    if (!found.empty()) {
        spoil(*random.of(found));
    }
    return !found.empty();
}

bool any_entry(Story& story, Random& random, const std::function<bool(const Entry&)>& fits,
               const std::function<void(Entry&)>& spoil) {
    std::vector<Entry*> found;
    for (Entry& entry : story.history.dumps.back().entries) {
        if (fits(entry)) {
            found.push_back(&entry);
        }
    }
    if (!found.empty()) {
        spoil(*random.of(found));
    }
    return !found.empty();
}

bool is_ok_write(const Call& call) {
    return call.op != Op::read && call.verdict == Verdict::ok;
}

bool always(const Entry&) {
    return true;
}

const std::vector<Fault>& faults() {
    static const std::vector<Fault> all{
        {Rule::exactly_once,
         [](Story& story, Random& random) {
             return any_entry(
                 story, random, [](const Entry& e) { return e.key != 0; },
                 [&](Entry& e) { e.key = story.id("never-sent"); });
         }},
        {Rule::atomic,
         [](Story& story, Random& random) {
             return any_entry(
                 story, random, [](const Entry& e) { return e.kind == EntryKind::transfer; },
                 [](Entry& e) { ++e.amount; });
         }},
        {Rule::conservation,
         [](Story& story, Random& random) {
             random.of(story.history.dumps.back().accounts).balance += 5;
             return true;
         }},
        {Rule::running_balance,
         [](Story& story, Random& random) {
             return any_entry(story, random, always, [](Entry& e) { --e.balance_after; });
         }},
        {Rule::floor,
         [](Story& story, Random& random) {
             const auto takes = [](const Entry& e) {
                 return e.amount - e.held_change < 0;
             };
             return any_entry(story, random, takes, [](Entry& e) { e.amount -= 1'000; });
         }},
        {Rule::refusals,
         [](Story& story, Random& random) {
             const auto refused = [](const Call& c) {
                 return c.verdict == Verdict::fail;
             };
             return any_call(story, random, refused, [&](Call& c) {
                 for (AccountRow& row : story.history.dumps.back().accounts) {
                     row.floor = row.account == c.subject ? std::nullopt : row.floor;
                 }
             });
         }},
        {Rule::real_time,
         [](Story& story, Random& random) {
             // Far later than all that comes behind it on its account.
             const Entry last = story.history.dumps.back().entries.back();
             return any_call(
                 story, random,
                 [&](const Call& c) {
                     return is_ok_write(c) && c.subject == last.account &&
                            c.transaction != last.transaction;
                 },
                 [&](Call& spoiled) {
                     const Id key = spoiled.key;
                     const Id subject = spoiled.subject;
                     for (Call& each : story.history.calls) {
                         if (each.key == key && each.subject == subject) {
                             each.invoked += 1'000'000;
                             each.returned += 1'000'000;
                         }
                     }
                 });
         }},
        {Rule::immutable,
         [](Story& story, Random& random) {
             auto& before = story.history.dumps.front().entries;
             if (before.empty()) {
                 return false;
             }
             ++random.of(before).amount;
             return true;
         }},
        {Rule::replay,
         [](Story& story, Random& random) {
             return any_call(story, random, is_ok_write, [&](Call& c) {
                 const auto number = static_cast<std::size_t>(&c - story.history.calls.data());
                 ++story.call(story.again(number)).body;
             });
         }},
        {Rule::holds,
         [](Story& story, Random& random) {
             ++random.of(story.history.dumps.back().accounts).held;
             return true;
         }},
    };
    return all;
}

bool finds(const History& history, Rule rule) {
    const Verification verification = check(history);
    return std::any_of(verification.findings.begin(), verification.findings.end(),
                       [&](const Finding& finding) { return finding.rule == rule; });
}

RC_GTEST_PROP(RandomHistory, PassesWhereNothingIsWrong, (std::uint32_t seed)) {
    Random random(seed);
    const Story story = random_story(random, 120);
    const Verification verification = check(story.history);
    if (!verification.good()) {
        RC_FAIL(verification.findings.empty() ? "unresolved" : verification.findings[0].witness);
    }
}

RC_GTEST_PROP(RandomHistory, IsCaughtByItsRuleWhereOneFaultIsPlanted, (std::uint32_t seed)) {
    Random random(seed);
    for (const Fault& fault : faults()) {
        Story story = random_story(random, 120);
        if (fault.plant(story, random) && !finds(story.history, fault.rule)) {
            RC_FAIL(std::string("not caught by ") + std::string(name_of(fault.rule)));
        }
    }
}

/// So that no fault passes because no story has a place for it.
TEST(RandomHistory, HasAPlaceForEveryFault) {
    for (const Fault& fault : faults()) {
        Random random(1);
        int planted = 0;
        for (int n = 0; n < 10; ++n) {
            Story story = random_story(random, 120);
            planted += fault.plant(story, random) ? 1 : 0;
        }
        EXPECT_GE(planted, 9) << name_of(fault.rule);
    }
}

}  // namespace
}  // namespace passbook::lab::checker
