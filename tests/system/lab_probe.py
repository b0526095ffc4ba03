# SPDX-License-Identifier: Apache-2.0
"""`passbook lab probe` against wallets that are right, wrong and silent, and against ours."""

import contextlib
import http.server
import json
import threading
import time
import unittest

import harness
from harness import passbook


class Wallet:
    """A balance behind HTTP: GET /balance, POST /spend of {"amount","key"}."""

    def __init__(self, balance=100):
        self.balance = balance
        self.spends = 0
        self.answers = {}
        self.lock = threading.Lock()

    def spend(self, order):
        raise NotImplementedError

    def take(self, amount):
        if self.balance < amount:
            return 422
        self.balance -= amount
        return 201


class ReadThenWrite(Wallet):
    """As many are written: what was read is no longer so when it is written."""

    def spend(self, order):
        read = self.balance
        time.sleep(0.05)
        if read < order["amount"]:
            return 422
        self.balance = read - order["amount"]
        return 201


class Careful(Wallet):
    def spend(self, order):
        with self.lock:
            if order["key"] not in self.answers:
                self.answers[order["key"]] = self.take(order["amount"])
            return self.answers[order["key"]]


class Forgetful(Wallet):
    """Guards its balance, and knows no key."""

    def spend(self, order):
        with self.lock:
            return self.take(order["amount"])


class Silent(Careful):
    """Does what it is asked, and each third time does not say so."""

    def spend(self, order):
        status = super().spend(order)
        if order["n"] % 3 == 0:
            time.sleep(2.5)
        return status


class HangingUp(Careful):
    """Does what it is asked, and each third time closes the connection instead of answering."""

    def spend(self, order):
        status = super().spend(order)
        return None if order["n"] % 3 == 0 else status


class Late(Careful):
    """Its balance is read from a copy that is behind."""

    def __init__(self):
        super().__init__()
        self.begun = None

    def spend(self, order):
        self.begun = self.begun or time.monotonic()
        return super().spend(order)

    @property
    def shown(self):
        is_behind = self.begun is None or time.monotonic() < self.begun + 0.7
        return 100 if is_behind else self.balance


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        wallet = self.server.wallet
        self.answer(200, {"data": {"balance": getattr(wallet, "shown", wallet.balance)}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.wallet.lock:
            self.server.wallet.spends += 1
        if self.path != "/spend":
            self.answer(404, {})
            return
        status = self.server.wallet.spend(json.loads(body))
        if status is None:
            self.close_connection = True
        else:
            self.answer(status, {"status": status})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        with contextlib.suppress(OSError):  # Who gave up waiting is gone.
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class HttpServer(http.server.ThreadingHTTPServer):
    request_queue_size = 256


class Probe(unittest.TestCase):
    def serve(self, wallet):
        server = HttpServer(("127.0.0.1", 0), Handler)
        server.wallet = wallet
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_port

    def probe(self, port, *more, host="127.0.0.1", path="/spend", count=20):
        return passbook("lab", "probe", "--request", f"POST http://{host}:{port}{path}",
                        "--body", '{"amount":30,"key":"{key}","n":{n}}',
                        "--balance", f"GET http://{host}:{port}/balance",
                        "--balance-at", "/data/balance", "--amount", "30", "--count", str(count),
                        *more)

    def told(self, wallet, *more, **described):
        """(exit code, what the machine is told), with each request sent once and no more."""
        done = self.probe(self.serve(wallet), *more, "--json", **described)
        self.assertEqual(done.stderr, "")
        told = json.loads(done.stdout)
        self.assertEqual(wallet.spends, described.get("count", 20))
        self.assertEqual(told["accepted"] + told["refused"] + told["unknown"], wallet.spends)
        return done.returncode, told

    def test_read_then_write_is_found_to_make_money(self):
        code, told = self.told(ReadThenWrite())
        self.assertEqual((code, told["verdict"]), (1, "made"), told)
        self.assertGreater(told["accepted"], 3)

    def test_a_careful_wallet_is_right(self):
        code, told = self.told(Careful(), "--start", "100")
        self.assertEqual((code, told["verdict"]), (0, "right"), told)
        self.assertEqual((told["accepted"], told["refused"], told["balance_after"]), (3, 17, 10))
        self.assertEqual(told["answers"], {"201": 3, "422": 17})

    def test_one_key_for_all_is_taken_once_or_it_is_found_out(self):
        code, told = self.told(Careful(), "--keys", "same")
        self.assertEqual((code, told["verdict"], told["balance_after"]), (0, "right", 70), told)
        code, told = self.told(Forgetful(), "--keys", "same")
        self.assertEqual((code, told["verdict"], told["balance_after"]), (1, "lost", 10), told)

    def test_silence_makes_the_verdict_a_range(self):
        code, told = self.told(Silent(1000), "--timeout", "1", count=6)
        self.assertEqual((code, told["verdict"]), (2, "unknown"), told)
        self.assertEqual((told["accepted"], told["unknown"]), (4, 2))
        self.assertEqual(told["answers"]["timed out"], 2)
        self.assertEqual((told["least"], told["most"], told["balance_after"]), (820, 880, 820))

    def test_a_connection_that_ends_is_unknown_and_nothing_is_sent_again(self):
        code, told = self.told(HangingUp(1000), count=30)
        self.assertEqual((code, told["verdict"]), (2, "unknown"), told)
        self.assertEqual((told["accepted"], told["unknown"]), (20, 10))

    def test_a_balance_may_be_right_a_little_later(self):
        code, told = self.told(Late())
        self.assertEqual((code, told["verdict"]), (0, "right"), told)
        code, told = self.told(Late(), "--settle", "0")
        self.assertEqual((code, told["verdict"]), (1, "made"), told)

    def test_nothing_accepted_shows_nothing(self):
        code, told = self.told(Careful(), path="/spent")
        self.assertEqual((code, told["verdict"], told["answers"]), (2, "untested", {"404": 20}))

    def test_people_are_told_in_their_language(self):
        done = self.probe(self.serve(ReadThenWrite()))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("MONEY WAS MADE: ", done.stdout)
        self.assertIn("20 requests, 20 at once, a key for each", done.stdout)
        done = self.probe(self.serve(Careful()), "--lang", "ko")
        self.assertEqual(done.stdout.splitlines()[1:],
                         ["  승인 3, 거절 17, 결과 모름 0   (201 x 3, 422 x 17)",
                          "  잔액 처음 100, 나중 10", "맞음: 잔액 10, 있어야 할 그대로다."])

    def assert_cannot(self, done, part):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(part, done.stderr)

    def test_what_is_not_this_machine_is_left_alone_until_it_is_confirmed(self):
        wallet = Careful()
        port = self.serve(wallet)
        # Leads to this machine, and does not say so.
        self.assert_cannot(self.probe(port, host="0.0.0.0"), "--confirm 0.0.0.0")
        self.assert_cannot(self.probe(port, "--confirm", "127.0.0.1", host="0.0.0.0"),
                           "is not this machine")
        self.assertEqual(wallet.spends, 0)
        self.assertEqual(self.probe(port, "--confirm", "0.0.0.0", host="0.0.0.0").returncode, 0)

    def test_what_cannot_run_is_told_in_one_line_and_sends_nothing(self):
        wallet = Careful()
        port = self.serve(wallet)
        for more, part in ((("--start", "99"), "100 at the beginning, not 99"),
                           (("--balance-at", "/data/none"), "no /data/none"),
                           (("--balance-at", "balance"), "begins with /"),
                           (("--amount", "0"), "--amount"), (("--count", "10001"), "--count"),
                           (("--floor", "low"), "--floor"), (("--header", "Host: x"), "Host"),
                           (("--keys", "same", "--body", "{}"), "{key}"),
                           (("--balance", f"GET https://127.0.0.1:{port}/"), "https"),
                           (("--accepted", "yes"), "--accepted")):
            with self.subTest(more=more):
                self.assert_cannot(self.probe(port, *more), part)
        self.assertEqual(wallet.spends, 0)
        self.assert_cannot(self.probe(1), "nobody answers at 127.0.0.1:1")


class Ours(harness.ServerTest):
    def test_passbook_is_right_with_one_key_and_with_many(self):
        server = self.serve()
        for keys, left in (("different", 10), ("same", 70)):
            account = f"wallet-{keys}"
            base = f"http://127.0.0.1:{server.port}/v1/accounts/{account}"
            granted = server.client().post(f"/v1/accounts/{account}/grants", {"amount": 100},
                                           key="opening")
            self.assertEqual(granted.status, 201)
            done = passbook("lab", "probe", "--request", f"POST {base}/spends", "--header",
                            "Idempotency-Key: {key}", "--body", '{"amount":30}', "--balance",
                            f"GET {base}", "--balance-at", "/balance", "--start", "100",
                            "--amount", "30", "--count", "200", "--keys", keys, "--json")
            told = json.loads(done.stdout)
            self.assertEqual((done.returncode, told["verdict"], told["balance_after"]),
                             (0, "right", left), told)


if __name__ == "__main__":
    unittest.main()
