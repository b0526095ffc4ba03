# SPDX-License-Identifier: Apache-2.0
"""What `import` says of files and stores it cannot take: one line that names the place, the right
exit code, and nothing written."""

import json
import os
import sqlite3
import unittest

from harness import ServerTest, passbook

HEADER = "idempotency_key,account,amount,effective_at,reason\n"
GOOD = HEADER + "k1,ann,100,2026-01-01,pay\nk2,bob,50,2026-01-02T09:00:00+09:00,\n"
FIGURES = {"rows": 0, "posted": 0, "replayed": 0, "refused": 0, "invalid": 0, "accounts": 0,
           "stated_balance_differences": 0, "balance_sum": 0}


class Faults(ServerTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "rows.csv"
        self.rejects = self.folder / "rejects.csv"

    def run_import(self, content=None, *arguments, file=None):
        if content is not None:
            self.file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return passbook("import", str(file or self.file), "--store", f"sqlite:{self.store}",
                        "--json", *arguments)

    def assert_told(self, done, code, *parts):
        """One line on stderr, with our name, the subcommand and all parts in it."""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("passbook: import: "), done.stderr)
        for part in parts:
            self.assertIn(str(part), done.stderr)

    def assert_figures(self, done, **figures):
        self.assertEqual(json.loads(done.stdout.splitlines()[-1]), {**FIGURES, **figures})

    def test_a_good_file_says_nothing_on_stderr(self):
        done = self.run_import(GOOD)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_figures(done, rows=2, posted=2, accounts=2, balance_sum=150)

    def test_a_file_that_is_not_there_or_cannot_be_read(self):
        self.assert_told(self.run_import(), 2, self.file, "No such file")
        self.assert_told(self.run_import(file=self.folder), 2, self.folder)
        os.mkfifo(self.file)
        descriptor = os.open(self.file, os.O_RDWR)  # so that opening it does not wait
        self.addCleanup(os.close, descriptor)
        os.write(descriptor, b"idempotency_key")
        self.assert_told(self.run_import(), 2, self.file, "not a regular file")
        self.assertFalse(self.store.exists())

    def test_a_header_that_is_wrong(self):
        for content, part in (("", "empty"),
                              ("account,amount\n", "column idempotency_key is missing"),
                              (HEADER.replace("amount", "sum"), "'sum'"),
                              (HEADER.replace("reason", "account"), "account stands twice"),
                              ("k1,ann,100\n", "'k1'")):
            with self.subTest(content=content):
                done = self.run_import(content)
                self.assert_told(done, 2, self.file, part)
                self.assertEqual(done.stdout, "")
        self.assertFalse(self.store.exists())

    def test_a_bad_row_is_told_with_line_and_column_and_nothing_is_written(self):
        for row, place, part in (
                ("k3,ann,12.5,,", "column 3 (amount)", "'12.5'"),
                ("k3,ann,1e3,,", "column 3 (amount)", "'1e3'"),
                ("k3,ann,0,,", "column 3 (amount)", "'0'"),
                ("k3,ann,9007199254740992,,", "column 3 (amount)", "9007199254740991"),
                (",ann,1,,", "column 1 (idempotency_key)", "''"),
                ("k3,an n,1,,", "column 2 (account)", "'an n'"),
                ("k3,ann,1,1.2.2026,", "column 4 (effective_at)", "'1.2.2026'"),
                ("k3,ann,1,2026-02-30,", "column 4 (effective_at)", "'2026-02-30'"),
                ("k3,ann,1,2026-02-01T00:00:00,", "column 4 (effective_at)", "offset"),
                (b"k3,ann,1,,\xff", "column 5 (reason)", "UTF-8"),
                ("k3,ann,1,,a,b", "6 fields", "5"),
                ('k3,ann,1,,"open', "quotation mark", "not closed"),
                ('k3,ann,1,,a"b', "quotation mark", "where none may be")):
            with self.subTest(row=row):
                row = row if isinstance(row, bytes) else row.encode()
                done = self.run_import(GOOD.encode() + row + b"\nk4,ann,1,,\n")
                self.assert_told(done, 1, f"{self.file}:4: ", place, part, "nothing was imported")
                self.assert_figures(done, rows=4, invalid=1)
                self.assertFalse(self.store.exists())

    def test_b_99_only_a_plain_whole_number_is_an_amount(self):
        cells = ("1,000", "1.000", "10,7", "-7.62", "₩1,000", "１００", " 5", "5 ", "1e3", "")
        for cell in cells:
            with self.subTest(cell):
                done = self.run_import(f'{GOOD}k3,ann,"{cell}",,\n')
                self.assert_told(done, 1, "rows.csv:4: column 3 (amount)")
                self.assert_figures(done, rows=3, invalid=1)
        rows = "".join(f'k-{number},ann,"{cell}",,\n' for number, cell in enumerate(cells))
        done = self.run_import(GOOD + rows, "--rejects", str(self.rejects))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_figures(done, rows=2 + len(cells), posted=2, invalid=len(cells), accounts=2,
                            balance_sum=150)

    def test_the_line_counts_line_breaks_inside_fields(self):
        done = self.run_import(HEADER + 'k1,ann,1,,"two\r\nlines"\r\n\r\nk2,ann,x,,\r\n')
        self.assert_told(done, 1, f"{self.file}:5: ")

    def test_with_rejects_the_good_rows_go_in_and_the_rejects_can_be_put_right(self):
        done = self.run_import(GOOD + 'k3,ann,1.5,,"a,b"\nk4,ann,7,,\n', "--rejects",
                               str(self.rejects))
        self.assert_told(done, 1, f"{self.file}:4: ", self.rejects)
        self.assert_figures(done, rows=4, posted=3, invalid=1, accounts=2, balance_sum=157)
        rejected = self.rejects.read_text(encoding="utf-8")
        self.assertIn("'1.5'", rejected)
        done = self.run_import(rejected.replace("ann,1.5", "ann,15"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_figures(done, rows=1, posted=1, accounts=1, balance_sum=122)
        self.assert_reconciled()

    def test_a_byte_order_mark_and_crlf_are_no_fault(self):
        done = self.run_import(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_figures(done, rows=2, posted=2, accounts=2, balance_sum=150)

    def test_a_key_that_stands_for_two_rows_keeps_the_first(self):
        done = self.run_import(HEADER + "k1,ann,5,,\nk1,ann,6,,\nk1,ann,5,,\nk1,bob,5,,\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_figures(done, rows=4, posted=2, refused=1, replayed=1, accounts=2,
                            balance_sum=10)

    def test_an_asset_that_does_not_exist_stops_it_before_the_first_row(self):
        done = self.run_import("idempotency_key,account,amount,asset\nk1,ann,5,\nk2,bob,5,won\n")
        self.assert_told(done, 2, "account bob", "Asset won does not exist")
        server = self.serve()
        for account in self.connect(server).pages("/v1/accounts"):
            self.assertEqual(account["seq"], 0)

    def test_flags_that_make_no_sense(self):
        for arguments, part in ((["--floor", "1"], "'1'"), (["--floor", "-0.5"], "'-0.5'"),
                                (["--floor", "all"], "'all'"), (["--flor", "0"], "--flor"),
                                (["--rejects", str(self.file)], "itself"),
                                (["--rejects", "/no/such/folder/file"], "/no/such/folder/file")):
            with self.subTest(arguments=arguments):
                done = self.run_import(GOOD, *arguments)
                self.assert_told(done, 2, part)
                self.assertFalse(self.store.exists())

    def test_a_store_that_is_none(self):
        self.store.write_text("this is no database, however long it may be " * 100,
                              encoding="utf-8")
        self.assert_told(self.run_import(GOOD), 2, self.store)
        other = self.folder / "other.db"
        with sqlite3.connect(other) as database:
            database.execute("CREATE TABLE theirs (id)")
        database.close()
        self.store = other
        self.assert_told(self.run_import(GOOD), 2, other, "not a Passbook store")
        self.store = self.folder / "no/such/folder/store.db"
        self.assert_told(self.run_import(GOOD), 2, self.store)
        done = passbook("import", str(self.file), "--store", "oracle:somewhere")
        self.assert_told(done, 2, "oracle:somewhere", "sqlite:PATH")


if __name__ == "__main__":
    unittest.main()
