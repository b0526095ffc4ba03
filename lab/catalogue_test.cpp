// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "lab/columns.h"
#include "lab/labels.h"

namespace passbook::lab {
namespace {

TEST(Catalogue, EachExperimentHasAnIdOfItsOwnByWhichItIsFound) {
    std::set<std::string> ids;
    for (const Experiment& experiment : catalogue()) {
        EXPECT_TRUE(ids.insert(experiment.id).second) << experiment.id;
        EXPECT_EQ(find_experiment(experiment.id), &experiment);
    }
    EXPECT_EQ(find_experiment("s1"), find_experiment("S1"));
    EXPECT_EQ(find_experiment(""), nullptr);
    EXPECT_EQ(find_experiment("S"), nullptr);
}

TEST(Catalogue, EachWayIsPlayedOrSaysWhyNot) {
    for (const Experiment& experiment : catalogue()) {
        std::set<std::string> names;
        for (const Way& way : experiment.ways) {
            const std::string where = experiment.id + ": " + way.name;
            EXPECT_TRUE(names.insert(way.name).second) << where;
            EXPECT_TRUE(way.play || !way.absences.empty()) << where;
            for (const Language language : languages) {
                // So that it fits its line.
                EXPECT_LE(columns_of(way.how.in(language)), 55U) << where;
                EXPECT_FALSE(way.how.in(language).empty()) << where;
            }
        }
    }
}

bool has_korean(const std::string& text) {
    for (std::string_view rest = text; !rest.empty();) {
        const Character first = first_character(rest);
        if (first.point >= 0xAC00 && first.point <= 0xD7A3) {
            return true;
        }
        rest.remove_prefix(std::max<std::size_t>(first.bytes, 1));
    }
    return false;
}

/// The compiler sees to it that there are two; that they are of two languages is seen here.
void expect_translated(const Text& text, const std::string& where) {
    const std::string english = text.in(Language::english);
    const bool is_a_name = text == verbatim(english) && english.find(' ') == std::string::npos;
    EXPECT_FALSE(text.empty()) << where;
    EXPECT_FALSE(has_korean(english)) << where;
    EXPECT_TRUE(is_a_name || has_korean(text.in(Language::korean)))
        << where << ": " << text.in(Language::korean);
}

TEST(Catalogue, EachTextIsTranslated) {
    for (const Experiment& experiment : catalogue()) {
        expect_translated(experiment.question, experiment.id);
        expect_translated(experiment.setting, experiment.id);
        expect_translated(experiment.expectation, experiment.id);
        for (const Way& way : experiment.ways) {
            EXPECT_FALSE(has_korean(way.name)) << way.name;
            expect_translated(way.how, experiment.id + ": " + way.name);
            for (const Absence& absence : way.absences) {
                expect_translated(absence.why, experiment.id + ": " + way.name);
                for (const Language language : languages) {
                    // So that it fits its line.
                    EXPECT_LE(columns_of(not_on(way, absence.kind, absence.why).in(language)), 76U)
                        << absence.why.in(language);
                }
            }
        }
    }
}

TEST(Catalogue, EachExperimentHasAnUnsafeAndAGuardedWayOrIsThereForItsFigures) {
    const std::set<std::string> figures{"P3", "P4", "P6", "L10"};
    for (const Experiment& experiment : catalogue()) {
        std::set<Promise> promises;
        for (const Way& way : experiment.ways) {
            promises.insert(way.promise);
        }
        EXPECT_TRUE(promises.contains(Promise::guarded)) << experiment.id;
        EXPECT_NE(promises.contains(Promise::unsafe), figures.contains(experiment.id))
            << experiment.id;
    }
}

}  // namespace
}  // namespace passbook::lab
