# SPDX-License-Identifier: Apache-2.0
"""A store exported as JSON lines and rebuilt is the same store: the same accounts, passbooks and
answers, byte for byte. And what people get as CSV is safe to open."""

import csv
import io
import json
import threading
import unittest

from harness import ServerTest, passbook

ACCOUNTS = ["ann", "bob", "cat", "dan", "eve"]


class ExportTest(ServerTest):
    def export(self, *arguments, store=None):
        done = passbook("export", "--store", f"sqlite:{store or self.store}", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def rebuilt(self, lines, name="rebuilt.db", code=0):
        """Imports the lines into a new store; its path and what was told."""
        file = self.folder / "export.jsonl"
        file.write_text(lines, encoding="utf-8")
        store = self.folder / name
        done = passbook("import", str(file), "--store", f"sqlite:{store}", "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return store, done

    def fill(self, client):
        """Something of everything; the keys that were used."""
        self.keys = []

        def post(path, body, account, key=None):
            key = key or f"key-{len(self.keys)}"
            self.keys.append((account, key))
            return client.post(path, body, key).json()

        self.assertEqual(client.put("/v1/assets/won", {"scale": 2, "balanced": True,
                                                       "floor": None}).status, 201)
        self.assertEqual(client.put("/v1/assets/idle", {"ceiling": 5}).status, 201)
        client.put("/v1/accounts/dan", {"asset": "won", "metadata": {"name": "Dán \"D\""}})
        client.put("/v1/accounts/eve", {"asset": "won", "floor": -1000})
        post("/v1/accounts/ann/grants", {"amount": 1000, "reason": "=1+1"}, "ann")
        spent = post("/v1/accounts/ann/spends", {"amount": 100, "reason": "tab\tand \"quotes\"",
                                                 "metadata": {"order": "o-1"},
                                                 "effective_at": "2020-01-01T00:00:00Z"}, "ann")
        post("/v1/transfers", {"from": "ann", "to": "bob", "amount": 200}, "ann")
        post("/v1/transfers", {"from": "bob", "to": "ann", "amount": 30}, "bob", key="@odd='key'")
        post("/v1/transactions", {"postings": [{"account": "dan", "amount": -70},
                                               {"account": "eve", "amount": 70}]}, "dan")
        post(f"/v1/transactions/{spent['transaction']}/reverse", {"amount": 40}, "ann")
        hold = post("/v1/holds", {"account": "ann", "amount": 50}, "ann")["hold"]["id"]
        post(f"/v1/holds/{hold}/commit", {"amount": 20, "to": "cat"}, "ann")
        hold = post("/v1/holds", {"account": "ann", "amount": 60}, "ann")["hold"]["id"]
        post(f"/v1/holds/{hold}/void", {}, "ann")
        post("/v1/holds", {"account": "ann", "amount": 70, "expires_in": 3600}, "ann")
        self.open_hold = post("/v1/holds", {"account": "bob", "amount": 80}, "bob")["hold"]["id"]
        client.put("/v1/accounts/bob", {"floor": -10, "ceiling": 5000, "metadata": {"vip": True}})
        post("/v1/accounts/bob/spends", {"amount": 99999}, "bob")
        post("/v1/accounts/bob/grants", {"amount": 99999}, "bob")
        post("/v1/accounts/cat/freeze", {}, "cat")
        post("/v1/accounts/cat/grants", {"amount": 1}, "cat")

    def seen(self, client):
        """All that can be asked of the store."""
        told = {"accounts": list(client.pages("/v1/accounts")),
                "assets": [client.get(f"/v1/assets/{asset}").body
                           for asset in ("point", "won", "idle")],
                "hold": client.get(f"/v1/holds/{self.open_hold}").body}
        for account in ACCOUNTS:
            told[account] = list(client.pages(f"/v1/accounts/{account}/entries"))
        for account, key in self.keys:
            answer = client.get(f"/v1/requests/account/{account}", key=key)
            self.assertEqual(answer.status, 200, answer)
            told[account, key] = answer.body
        return told


class Rebuild(ExportTest):
    def test_the_rebuilt_store_is_the_same_in_all_that_can_be_asked(self):
        server = self.serve()
        client = self.connect(server)
        self.fill(client)
        lines = self.export("--format", "jsonl")
        before = self.seen(client)
        kinds = {line["kind"] for account in ACCOUNTS for line in before[account]}
        self.assertLessEqual({"grant", "spend", "transfer", "transaction", "reverse", "hold",
                              "commit", "void", "freeze", "limits"}, kinds)
        server.stop()

        store, done = self.rebuilt(lines)
        told = json.loads(done.stdout)
        self.assertEqual((told["accounts"], told["differences"]), (5, 0))
        self.assertGreater(told["refusals"], 2)
        self.assert_reconciled(store)
        self.assertEqual(self.export("--format", "jsonl", store=store), lines)

        client = self.connect(self.serve(store))
        self.assertEqual(self.seen(client), before)
        replay = client.post("/v1/accounts/bob/spends", {"amount": 99999},
                             next(key for account, key in self.keys[-4:] if account == "bob"))
        self.assertEqual((replay.status, replay.replayed), (422, True), replay)

    def test_b_49_no_time_moves_however_often_a_store_is_written_out_and_read_back(self):
        server = self.serve()
        client = self.connect(server)
        for number, zone in enumerate(("+14:00", "+09:00", "-11:00")):
            client.post("/v1/accounts/ann/grants",
                        {"amount": 10, "effective_at": f"2026-03-11T00:30:00{zone}"}, f"z{number}")
        hold = client.post("/v1/holds", {"account": "ann", "amount": 1, "expires_in": 86400}, "h")
        hold = f"/v1/holds/{hold.json()['hold']['id']}"
        times = [line["effective_at"] for line in client.pages("/v1/accounts/ann/entries")
                 if "effective_at" in line]
        self.assertEqual(times, ["2026-03-10T10:30:00.000000Z", "2026-03-10T15:30:00.000000Z",
                                 "2026-03-11T11:30:00.000000Z"])
        before = client.get(hold).body, list(client.pages("/v1/accounts/ann/entries"))
        account = client.get("/v1/accounts/ann").json()
        for _ in range(10):
            client.put("/v1/accounts/ann", {name: account[name] for name in ("floor", "ceiling")})
        self.assertEqual(client.get("/v1/accounts/ann").json(), account)
        lines = first = self.export("--format", "jsonl")
        for number in range(10):
            store, _ = self.rebuilt(lines, f"again-{number}.db")
            lines = self.export("--format", "jsonl", store=store)
        self.assertEqual(lines, first)
        client = self.connect(self.serve(store))
        self.assertEqual((client.get(hold).body, list(client.pages("/v1/accounts/ann/entries"))),
                         before)

    def test_an_export_of_a_store_that_is_written_meanwhile_is_of_one_instant(self):
        server = self.serve()
        client = self.connect(server)
        names = [f"n{number}" for number in range(40)]
        for name in names:
            client.post(f"/v1/accounts/{name}/grants", {"amount": 1000}, "first")
        stop, count = threading.Event(), [0]

        def transfer(writer):
            writing = server.client()
            while not stop.is_set():
                count[0] += 1
                one = names[count[0] * 7 % 40]
                other = names[(count[0] * 7 + 1 + count[0] % 37) % 40]
                writing.post("/v1/transfers", {"from": one, "to": other, "amount": 1},
                             f"w{writer}-{count[0]}")
            writing.close()

        writers = [threading.Thread(target=transfer, args=(n,)) for n in range(4)]
        for thread in writers:
            thread.start()
        try:
            exports = [self.export("--format", "jsonl") for _ in range(5)]
        finally:
            stop.set()
            for thread in writers:
                thread.join()
        self.assertLess(len(exports[0]), len(exports[-1]), "nothing was written meanwhile")
        for number, lines in enumerate(exports):
            store, done = self.rebuilt(lines, f"rebuilt-{number}.db")
            self.assertEqual(json.loads(done.stdout)["differences"], 0)
            rows = csv.DictReader(io.StringIO(self.export(store=store)))
            self.assertEqual(sum(int(row["amount"]) for row in rows), 40_000)

    def test_a_store_of_many_commits_is_rebuilt_though_its_transfers_lead_across_them(self):
        server = self.serve()
        client = self.connect(server)
        names = [f"n{number}" for number in range(40)]
        commands = [{"kind": "grant", "account": name, "amount": 1000, "idempotency_key": "first"}
                    for name in names]
        commands += [{"kind": "transfer", "from": names[number * 7 % 40],
                      "to": names[(number * 7 + 1 + number % 37) % 40], "amount": 1,
                      "idempotency_key": f"t{number}"} for number in range(3_000)]
        answer = client.post("/v1/batch", {"commands": commands})
        self.assertEqual({item["status"] for item in answer.json()["results"]}, {201})
        lines = self.export("--format", "jsonl")
        self.assertGreater(len(lines), 6_000)
        store, done = self.rebuilt(lines)
        self.assertEqual(json.loads(done.stdout)["differences"], 0)
        self.assertEqual(self.export("--format", "jsonl", store=store), lines)

    def test_a_file_that_is_damaged_or_not_whole_is_refused_and_nothing_written(self):
        server = self.serve()
        self.fill(self.connect(server))
        lines = self.export("--format", "jsonl").splitlines(keepends=True)
        one = self.export("--format", "jsonl", "--account", "ann")
        cases = {
            "cut off": ("".join(lines[:-1]), "no end"),
            "cut within a line": ("".join(lines)[:-30], f":{len(lines)}: "),
            "a line is gone": ("".join(lines[:9] + lines[10:]), "damaged"),
            "a line is twice": ("".join(lines[:9] + lines[8:]), "damaged"),
            "no beginning": ("".join(lines[1:]), ":1: "),
            "two in one": ("".join(lines + lines), f":{len(lines) + 1}: "),
            "a later format": ("".join([lines[0].replace('"format":1', '"format":2'), *lines[1:]]),
                               "format 2"),
            "one account alone": (one, "one account only"),
        }
        for name, (content, part) in cases.items():
            with self.subTest(name):
                store, done = self.rebuilt(content, "none.db", code=2)
                self.assertIn(part, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertFalse(store.exists())

    def test_rows_that_do_not_follow_from_each_other_are_refused_by_the_store(self):
        server = self.serve()
        self.connect(server).post("/v1/accounts/ann/grants", {"amount": 5}, "k")
        lines = self.export("--format", "jsonl")
        _, done = self.rebuilt(lines.replace('"balance_after":5', '"balance_after":6'), code=2)
        self.assertIn("guard", done.stderr)
        self.assertIn("is incomplete", done.stderr)

    def test_a_store_that_is_not_empty_is_left_alone(self):
        server = self.serve()
        self.connect(server).post("/v1/accounts/ann/grants", {"amount": 5}, "k")
        lines = self.export("--format", "jsonl")
        self.rebuilt(lines, "once.db")
        _, done = self.rebuilt(lines, "once.db", code=2)
        self.assertIn("already has accounts", done.stderr)
        done = passbook("import", str(self.folder / "export.jsonl"), "--floor", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--floor", done.stderr)


class People(ExportTest):
    def test_csv_has_every_line_and_texts_that_no_spreadsheet_calculates(self):
        server = self.serve()
        client = self.connect(server)
        self.fill(client)
        text = self.export()
        rows = list(csv.DictReader(io.StringIO(text)))
        for account in ACCOUNTS:
            lines = list(client.pages(f"/v1/accounts/{account}/entries"))
            mine = [row for row in rows if row["account"] == account]
            for name in ("seq", "amount", "balance_after", "held_change", "held_after"):
                self.assertEqual([int(row[name]) for row in mine], [line[name] for line in lines])
            for name in ("kind", "recorded_at", "transaction", "effective_at"):
                self.assertEqual([row[name] for row in mine],
                                 [line.get(name) or "" for line in lines])
        self.assertEqual(rows[[row["account"] for row in rows].index("ann")]["reason"], "'=1+1")
        self.assertIn("'@odd='key'", [row["idempotency_key"] for row in rows])
        self.assertIn("tab\tand \"quotes\"", [row["reason"] for row in rows])
        for row in rows:
            for name in ("reason", "idempotency_key", "account", "asset"):
                self.assertFalse(row[name].startswith(("=", "+", "-", "@", "\t", "\r")), row)

    def test_one_account_alone_and_into_a_file(self):
        server = self.serve()
        self.fill(self.connect(server))
        out = self.folder / "ann.csv"
        self.assertEqual(self.export("--account", "ann", "--out", str(out)), "")
        with open(out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["account"] for row in rows}, {"ann"})
        self.assertEqual([int(row["seq"]) for row in rows], list(range(1, len(rows) + 1)))

    def test_what_cannot_be_exported_is_told_in_one_line_and_leaves_no_file(self):
        self.serve()
        out = self.folder / "out.csv"
        for arguments, part in ((["--account", "nobody", "--out", str(out)], "'nobody'"),
                                (["--account", "no body", "--out", str(out)], "'no body'"),
                                (["--out", str(self.folder)], str(self.folder)),
                                (["--out", "/dev/full"], "No space left")):
            done = passbook("export", "--store", f"sqlite:{self.store}", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(part, done.stderr)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
