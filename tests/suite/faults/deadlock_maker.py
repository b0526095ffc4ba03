# SPDX-License-Identifier: Apache-2.0
import threading
import time

from faults.fault import SERVERS, Fault

NAMES = ("deadlock-0", "deadlock-1")


class DeadlockMaker(Fault):
    """A person locks two accounts in the order that no server would, while money moves between
    them."""

    name = "deadlock-maker"
    touches = {"server", "database", "link"}  # it waits for answers
    stores = SERVERS
    seconds = (0.5, 2)
    needs_met = {"postgres": ("retries after 40P01",), "mariadb": ("retries after 1213",)}

    def harm(self):
        recorder = self.world.recorder(0)
        for name in NAMES:
            while recorder.grant(name, 10).attempts[0].verdict != "ok":
                time.sleep(0.1)
        database, store = self.world.database, self.world.direct
        script = database.in_the_wrong_order(store, *NAMES)
        for _ in range(2):
            person = threading.Thread(target=database.ask, args=(script, store))
            person.start()
            while person.is_alive():
                recorder.transfer(*self.chance.sample(NAMES, 2), 1)
                time.sleep(0.1)
            person.join()
        recorder.client.close()
        self.felt["transactions against each other"] += 2
