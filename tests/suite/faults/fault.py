# SPDX-License-Identifier: Apache-2.0
"""What all faults have in common.

`harm` does it, `heal` ends it; both act at once and may be called once each. `felt` counts what
came of it, so that a run whose fault met nobody is not taken for evidence."""

import collections

ALL_STORES = ("sqlite", "postgres", "mariadb")
SERVERS = ("postgres", "mariadb")


class Fault:
    name = ""
    touches = frozenset()  # of server, database, link, locks, clock; each by one at a time
    stores = ALL_STORES
    seconds = (1, 5)  # how long it lasts
    turns = 1  # how often it strikes where each has to
    needs = ()  # of `felt`; where it is empty, any of it
    needs_met = {}  # by the store's name: what the server must have met
    felt = collections.Counter()  # over all rounds; each kind has its own

    def __init__(self, world, chance):
        self.world = world
        self.chance = chance

    def __init_subclass__(cls):
        cls.felt = collections.Counter()

    @classmethod
    def can_strike(cls):
        """Here, with this build."""
        return True

    def slot(self):
        return self.chance.choice(self.world.slots)

    def harm(self):
        raise NotImplementedError

    def heal(self):
        """Nothing where it heals by itself."""
