# SPDX-License-Identifier: Apache-2.0
"""Servers on one database that take turns in front of it, by locks on Redis or in the store: what
holds without a lock holds with it, and with the lock service gone, a holder killed, or one that
slept for longer than its lock lasts."""

import pathlib
import re
import signal
import sys
import tempfile
import threading
import time

import databases
from harness import SOURCE, ServerTest
from workload import Load, check_all, fresh_history

sys.path.insert(0, str(SOURCE / "tests" / "servers"))
from redis_server import RedisServer  # noqa: E402

TTL_SECONDS = 3
SPARE_SECONDS = 2  # from the end of a dead holder's TTL until another has its slots
RETRY_SECONDS = 2  # until a server asks for its slots again that did not get them


class GateTest(ServerTest):
    redis = None

    def lock(self, kind):
        """What `--lock` is told; a Redis is started for it."""
        if kind != "redis":
            return kind
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="passbook-redis-"))
        pathlib.Path(folder).chmod(0o755)  # it runs as a user of its own
        self.redis = RedisServer(pathlib.Path(folder) / "server").start()
        self.addCleanup(self.redis.kill)
        return self.redis.url()

    def behind(self, lock, policy="bypass", **options):
        return self.serve(arguments=["--lock", lock, "--lock-policy", policy], **options)

    def counted(self, client, name):
        line = re.search(rf"^{re.escape(name)} (\d+)$", client.get("/metrics").body.decode(), re.M)
        self.assertIsNotNone(line, name)
        return int(line[1])

    def passages(self, client):
        return {how: self.counted(client, f'passbook_gate_batches_total{{passage="{how}"}}')
                for how in ("held", "bypassed", "refused")}

    def grant(self, client, key, account="a"):
        return client.post(f"/v1/accounts/{account}/grants", {"amount": 1}, key)

    def granted(self, client, key, account="a"):
        answer = self.grant(client, key, account)
        self.assertEqual(answer.status, 201, answer)
        return answer

    def eventually(self, holds, seconds):
        deadline = time.monotonic() + seconds
        while not holds() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(holds())


class Turns(GateTest):
    def together(self, kind):
        """Three servers under load at once, none of which goes past the lock."""
        lock = self.lock(kind)
        history = fresh_history(kind)
        servers = [self.behind(lock) for _ in range(3)]
        Load(history, servers[0], accounts=3).open_accounts(self.connect(servers[0]))
        loads = [Load(history, server, threads=3, accounts=3, seed=seed).start()
                 for seed, server in enumerate(servers)]
        time.sleep(3)
        for load in loads:
            load.stop()
        for server in servers:
            passages = self.passages(self.connect(server))
            self.assertGreater(passages["held"], 10, server.told())
            self.assertEqual((passages["bypassed"], passages["refused"]), (0, 0), server.told())
            taken = self.counted(self.connect(server),
                                 'passbook_lock_attempts_total{result="acquired"}')
            self.assertGreater(taken, 5, "it has let go for the others")
            self.assertEqual(server.stop(), 0, server.told())
        check_all(self, history, self.serve())

    def test_three_servers_take_turns_by_redis(self):
        self.together("redis")

    def test_three_servers_take_turns_by_leases_of_the_store(self):
        self.together("store")

    def test_three_servers_take_turns_by_advisory_locks(self):
        self.together("advisory")


class Holders(GateTest):
    def killed(self, kind):
        """How long after its kill a holder's slots are another server's, which bypasses nothing."""
        lock = self.lock(kind)
        victim, other = self.behind(lock), self.behind(lock)
        client = self.connect(other)
        self.granted(client, f"first-{kind}")
        busy = threading.Event()
        ending = threading.Event()

        def keep_busy():
            its_client = self.connect(victim)
            for number in range(10_000):
                if ending.is_set() or self.grant(its_client, f"busy-{kind}-{number}").status == 0:
                    return
                busy.set()

        load = threading.Thread(target=keep_busy)
        load.start()
        try:
            self.assertTrue(busy.wait(10))
            victim.kill()
            began = time.monotonic()
            self.granted(client, f"second-{kind}")
            took = time.monotonic() - began
        finally:
            ending.set()
            load.join()
        self.assertEqual(self.passages(client), {"held": 2, "bypassed": 0, "refused": 0})
        return took

    def test_slots_of_a_killed_server_move(self):
        for kind in ("redis", "store"):
            with self.subTest(kind):
                took = self.killed(kind)
                self.assertLess(took, TTL_SECONDS + SPARE_SECONDS)
                # It was the TTL that set them free: the server did hold them.
                self.assertGreater(took, 0.5)

    def late(self, kind):
        """A server sleeps between getting its slots and its transaction, until another has them."""
        lock = self.lock(kind)
        sleeper = self.behind(lock, environment={"PASSBOOK_FAILPOINTS": "lane_behind_gate=stop@2"})
        other = self.behind(lock)
        answers = []
        self.granted(self.connect(sleeper), "first")
        asker = threading.Thread(
            target=lambda: answers.append(self.grant(self.connect(sleeper, 60), "late")))
        asker.start()
        stat = pathlib.Path(f"/proc/{sleeper.process.pid}/stat")
        self.eventually(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", 10)
        client = self.connect(other)
        self.granted(client, "meanwhile")
        self.assertEqual(self.passages(client), {"held": 1, "bypassed": 0, "refused": 0})

        sleeper.process.send_signal(signal.SIGCONT)
        asker.join()
        self.assertEqual([answer.status for answer in answers], [201], answers)
        its_client = self.connect(sleeper)
        self.assertGreater(self.counted(its_client, "passbook_stale_writes_rejected_total"), 0)
        self.assertGreater(
            self.counted(its_client, 'passbook_store_retries_total{code="stale_fence"}'), 0)
        self.assertEqual(self.passages(its_client)["bypassed"], 0, sleeper.told())
        entries = [entry["balance_after"] for entry in its_client.pages("/v1/accounts/a/entries")]
        self.assertEqual(sorted(entries), [1, 2, 3])
        self.assertTrue(self.grant(client, "late").replayed)

    def test_a_late_batch_is_kept_out_by_its_fence_and_written_in_its_turn(self):
        for kind in ("redis", "store"):
            with self.subTest(kind):
                self.store = self.fresh_store()
                self.late(kind)


class ServiceDown(GateTest):
    def test_writes_go_on_without_the_lock(self):
        server = self.behind(self.lock("redis"))
        client = self.connect(server)
        self.granted(client, "before")
        self.assertEqual(client.get("/readyz").json(), {"status": "ready", "lock": "answers"})

        self.redis.kill()
        self.eventually(lambda: self.granted(client, f"d-{time.monotonic()}") and
                        self.passages(client)["bypassed"] > 0, TTL_SECONDS + SPARE_SECONDS)
        self.assertEqual(client.get("/readyz").json(), {"status": "ready", "lock": "bypassed"})
        self.assertIn("writes are not behind the lock", server.told())

        self.redis.start()
        held = self.passages(client)["held"]
        self.eventually(lambda: self.granted(client, f"up-{time.monotonic()}") and
                        self.passages(client)["held"] > held, 3 * RETRY_SECONDS)
        self.assertEqual(client.get("/readyz").json(), {"status": "ready", "lock": "answers"})
        self.assertIn("writes are behind the lock again", server.told())
        self.assertEqual(self.passages(client)["refused"], 0)

    def test_writes_are_refused_where_that_is_the_policy(self):
        server = self.behind(self.lock("redis"), policy="refuse")
        client = self.connect(server)
        self.granted(client, "before")
        self.redis.kill()
        self.eventually(lambda: self.grant(client, "down").status == 503,
                        TTL_SECONDS + SPARE_SECONDS)
        answer = self.grant(client, "kept")
        self.assertEqual((answer.status, answer.code), (503, "unavailable"))
        ready = client.get("/readyz")
        self.assertEqual((ready.status, ready.code), (503, "lock_unavailable"))
        passages = self.passages(client)
        self.assertGreater(passages["refused"], 0)
        self.assertEqual(passages["bypassed"], 0)
        self.assertIn("writes are refused", server.told())

        self.redis.start()
        self.eventually(lambda: self.grant(client, "kept").status == 201, 3 * RETRY_SECONDS)
        self.assertTrue(self.granted(client, "kept").replayed)
        self.assertEqual(client.get("/readyz").json(), {"status": "ready", "lock": "answers"})

    def stuck(self, policy):
        """Somebody holds every slot and never lets go."""
        server = self.behind(self.lock("redis"), policy=policy)
        for slot in range(16):
            self.redis.ask("SET", f"passbook:lock:passbook.slot.{slot:02}", "somebody")
        client = self.connect(server)
        began = time.monotonic()
        answer = self.grant(client, "k")
        self.assertLess(time.monotonic() - began, 8)
        return answer, self.passages(client)

    def test_a_slot_that_never_comes_is_not_waited_for_without_end(self):
        answer, passages = self.stuck("bypass")
        self.assertEqual(answer.status, 201)
        self.assertEqual(passages, {"held": 0, "bypassed": 1, "refused": 0})
        answer, passages = self.stuck("refuse")
        self.assertEqual((answer.status, answer.code), (503, "busy"))
        self.assertEqual(passages, {"held": 0, "bypassed": 0, "refused": 1})


if __name__ == "__main__":
    databases.main(databases.Postgres, databases.Mariadb)
