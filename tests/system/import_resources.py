# SPDX-License-Identifier: Apache-2.0
"""What an import takes of the machine."""

import os
import subprocess
import unittest

import bank
import make_bank_csv
from harness import BINARY, SANITIZED, ServerTest, url_of


class Resources(ServerTest):
    def usage(self, arguments):
        """CPU seconds and peak memory in MiB of one run."""
        process = subprocess.Popen([str(BINARY), *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL,
                                   env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=8"})
        process.stdout.read()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def test_it_takes_at_least_5000_rows_per_second_of_a_processor(self):
        least = 500 if SANITIZED else 5_000
        file = bank.bank_file(self.folder)
        code, seconds, _ = self.usage(["import", str(file), "--json", "--floor", "0",
                                       "--store", url_of(self.store)])
        self.assertEqual(code, 0)
        self.assertGreater(bank.Oracle(file, 0).figures["rows"] / seconds, least)

    def test_its_memory_does_not_grow_with_the_file(self):
        peaks = []
        for rows in (20_000, 320_000):
            path = self.folder / f"{rows}.csv"
            make_bank_csv.write(path, rows, rows // 10)
            with open(path, "a", encoding="utf-8") as file:
                file.write("bad,row,,,,\n")
            code, _, peak = self.usage(["import", str(path), "--json",
                                        "--store", url_of(self.store)])
            self.assertEqual(code, 1)
            peaks.append(peak)
        self.assertLess(peaks[1] - peaks[0], 64 if SANITIZED else 8, f"MiB: {peaks}")


if __name__ == "__main__":
    unittest.main()
