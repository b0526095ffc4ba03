# SPDX-License-Identifier: Apache-2.0
"""Reports by people of this trade, told again as tests: several servers on one database, of which
one dies, stands still or loses its link. The name of a test begins with the number of its case."""

import pathlib
import signal
import tempfile
import threading
import time

import databases
from case import CaseTest
from databases import RedisServer
from harness import in_parallel
from proxy import AFTER
from workload import Load, check_all, dump, fresh_history

TTL_MS = 1000


class ServerCases(CaseTest):
    def test_b_04_after_kills_under_load_row_running_balance_and_sum_are_equal(self):
        history = fresh_history("drift")
        load = Load(history, self.server, threads=4, accounts=8, seed=4)
        load.open_accounts(self.client)
        load.start()
        for seed in range(3):
            its_load = Load(history, self.servers[1], threads=4, accounts=8, seed=seed).start()
            time.sleep(0.7)
            self.servers[1].kill()
            its_load.stop()
            self.servers[1] = self.serve()
        load.stop()
        check_all(self, history, self.server)
        accounts, lines = dump(self.client)
        for account in accounts:
            own = [line for line in lines if line.account == account.id]
            last = own[-1].balance_after if own else 0  # not each is always used
            self.assertEqual((account.balance, account.balance),
                             (last, sum(line.amount for line in own)), account)
        self.assertGreater(len(lines), len(accounts))

    def test_b_22_a_commit_whose_answer_never_reached_the_server_is_counted_once(self):
        self.grant("a", 100)
        self.proxy.plan(AFTER)
        done = self.spend("a", 30, "k1")
        self.assertEqual((self.proxy.made, done.status), (1, 201), done)
        self.assertEqual(self.spend("a", 30, "k1").body, done.body)
        self.assertEqual(self.balance(self.client, "a"), 70)

    def test_b_33_while_a_key_is_under_way_another_server_says_nothing_final(self):
        self.grant("a", 100)
        self.proxy.delay = 0.5  # every message to the database takes as long
        first = []
        sending = threading.Thread(target=lambda: first.append(self.spend("a", 30, "k1")))
        sending.start()
        time.sleep(0.3)
        other = self.connect(self.servers[1], timeout=30)
        again = self.post("/v1/accounts/a/spends", {"amount": 30}, "k1", other)
        sending.join()
        self.proxy.delay = 0
        answers = [answer for answer in (first[0], again) if answer.status == 201]
        self.assertGreater(len(answers), 0, (first, again))
        for answer in (first[0], again):
            self.assertIn((answer.status, answer.code),
                          ((201, ""), (503, "busy"), (409, "idempotency_key_in_use")))
        self.assertEqual({answer.body for answer in answers}, {answers[0].body})
        self.assertEqual(self.balance(self.client, "a"), 70)

    def test_b_34_commits_against_each_other_end_in_success_or_refusal(self):
        for name in ("a", "b"):
            self.grant(name, 1000)
        ways = [("a", "b"), ("b", "a")] * 10
        holds = [self.hold(source, 10).json()["hold"]["id"] for source, _ in ways]
        clients = self.clients(len(ways))
        answers = in_parallel(len(ways), lambda n: self.post(
            f"/v1/holds/{holds[n]}/commit", {"to": ways[n][1]}, f"commit-{n}", clients[n]))
        self.assertEqual({answer.status for answer in answers}, {201})
        for name in ("a", "b"):
            account = self.account(self.client, name)
            self.assertEqual((account["balance"], account["held"]), (1000, 0))
        self.assert_reconciled()


class LockCases(CaseTest):
    """The lock is on a Redis of their own."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="passbook-redis-")
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name).chmod(0o755)  # it runs as a user of its own
        self.redis = RedisServer(pathlib.Path(folder.name) / "redis").start()
        self.addCleanup(self.redis.stop)
        locked = ["--lock", self.redis.url()]
        self.servers = [self.serve(arguments=locked) for _ in range(2)]
        self.clients_of = [self.connect(server, timeout=30) for server in self.servers]
        self.grant("a", 100)

    def lock(self, number):
        return self.clients_of[number].post("/v1/locks/a", {"ttl_ms": TTL_MS, "wait_ms": 5000})

    def spend_of(self, number, key):
        return self.post("/v1/accounts/a/spends", {"amount": 100}, key, self.clients_of[number])

    def test_b_93_who_stood_still_beyond_its_lock_spends_nothing_twice(self):
        held = self.lock(0)
        self.assertEqual(held.status, 201, held)
        self.servers[0].process.send_signal(signal.SIGSTOP)
        late = []
        sending = threading.Thread(target=lambda: late.append(self.spend_of(0, "k1")))
        sending.start()
        taken = self.lock(1)  # when its time is over
        self.assertEqual(taken.status, 201, taken)
        self.assertGreater(taken.json()["fence"], held.json()["fence"])
        self.assertEqual(self.spend_of(1, "k2").status, 201)
        self.servers[0].process.send_signal(signal.SIGCONT)
        sending.join()
        self.assert_refused(late[0], 422, "insufficient_balance")
        self.assertEqual(self.balance(self.client, "a"), 0)
        lost = self.clients_of[0].post("/v1/locks/a/renew", {"token": held.json()["token"],
                                                             "ttl_ms": TTL_MS})
        self.assertEqual(lost.status, 409, lost)

    def test_b_94_a_lock_that_is_lost_in_a_failover_loses_no_money_and_is_soon_to_be_had(self):
        held = self.lock(0)
        self.assertEqual(held.status, 201, held)
        self.redis.kill()
        self.redis.start()  # at the same address, and without the key
        begun = time.monotonic()
        taken = self.lock(1)
        while taken.status == 503 and time.monotonic() < begun + 10:
            time.sleep(0.05)
            taken = self.lock(1)
        self.assertEqual(taken.status, 201, taken)
        self.assertLess(time.monotonic() - begun, TTL_MS / 1000 + 2)
        self.assertGreater(taken.json()["fence"], held.json()["fence"])
        answers = in_parallel(2, lambda n: self.spend_of(n, f"k{n}"))
        self.assertEqual(sorted(answer.status for answer in answers), [201, 422])
        self.assertEqual(self.balance(self.client, "a"), 0)


if __name__ == "__main__":
    databases.main(databases.Postgres, databases.Mariadb)
