# SPDX-License-Identifier: Apache-2.0
"""Proves the simulation: with one bug planted that it can meet, a few seeds must find it.

usage: simulated.py SIMULATION_MUTANT"""

import os
import subprocess
import sys
import unittest

from bugs import BUGS

MUTANT = sys.argv.pop(1) if len(sys.argv) > 1 else ""
SECONDS_MAX = 60


class Simulated(unittest.TestCase):
    def test_each_bug_that_it_can_meet_is_found(self):
        for name, bug in BUGS.items():
            if not bug.simulated:
                continue
            with self.subTest(name):
                done = subprocess.run(
                    [MUTANT, "--gtest_filter=*.InAnyWeather*"], capture_output=True, text=True,
                    timeout=SECONDS_MAX, check=False, env={**os.environ, "PASSBOOK_PLANT": name})
                told = done.stdout + done.stderr
                self.assertNotEqual(done.returncode, 0, f"{name} was not found")
                self.assertRegex(told, "TEST_SEED=|passbook: bug")


if __name__ == "__main__":
    unittest.main()
