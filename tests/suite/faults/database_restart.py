# SPDX-License-Identifier: Apache-2.0
from faults.fault import SERVERS, Fault

WAYS = ("killed", "restarted", "connections cut")


class DatabaseRestart(Fault):
    """The database dies or is restarted while transactions run, or ends all connections."""

    name = "database-restart"
    touches = {"database"}
    stores = SERVERS
    seconds = (0.7, 3)

    def harm(self):
        way = self.chance.choice(WAYS)
        database = self.world.database
        {"killed": database.kill, "restarted": database.restart,
         "connections cut": database.cut_connections}[way]()
        self.felt[way] += 1
