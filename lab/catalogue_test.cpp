// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"

#include <gtest/gtest.h>
#include <set>

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
            EXPECT_FALSE(way.how.empty()) << where;
            // So that it fits its line.
            EXPECT_LE(way.how.size(), 57U) << where;
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
