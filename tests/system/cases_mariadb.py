# SPDX-License-Identifier: Apache-2.0
"""A report about MariaDB, told again as a test: settings of the server that change what a
transaction sees. The name of the test begins with the number of its case."""

import databases
from harness import ServerTest
from workload import Load, check_all, fresh_history


class MariadbCases(ServerTest):
    def test_b_08_no_setting_of_snapshots_changes_a_balance_or_an_answer(self):
        for level in ("READ-COMMITTED", "REPEATABLE-READ"):
            for isolated in ("OFF", "ON"):
                with self.subTest(level=level, isolated=isolated):
                    self.database.server.sql(
                        f"SET GLOBAL tx_isolation = '{level}';"
                        f"SET GLOBAL innodb_snapshot_isolation = {isolated};")
                    self.store = self.fresh_store()
                    self.race(f"{level}-{isolated}".lower())

    def race(self, name):
        """Many on one account, from two servers."""
        history = fresh_history(name)
        servers = [self.serve() for _ in range(2)]
        loads = [Load(history, server, threads=4, accounts=2, seed=seed, most=60)
                 for seed, server in enumerate(servers)]
        loads[0].open_accounts(self.connect(servers[0]))
        for load in loads:
            load.start()
        for load in loads:
            load.join()
        counts = history.counts()
        self.assertEqual(counts["unsure"] + counts["nothing"], 0, counts)
        self.assertGreater(counts["insufficient_balance"], 0, counts)
        check_all(self, history, servers[0], replays=20)


if __name__ == "__main__":
    databases.main(databases.Mariadb)
