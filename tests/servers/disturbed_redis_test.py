# SPDX-License-Identifier: Apache-2.0
"""What runs beside a Redis that is disturbed: it is told where, its end is passed on, and a run in
which nobody held a lock proves nothing."""

import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).with_name("disturbed_redis.py")
# Longer than the longest pause between two disturbances.
HOLD = """
rest=${PASSBOOK_LOCK#redis://:} port=${PASSBOOK_LOCK##*:}
for i in $(seq 24); do
    redis-cli -p "${port%/0}" -a "${rest%@*}" SET lock held
    sleep 0.2
done >/dev/null 2>&1
exit """


def beside(script, seed):
    return subprocess.run([sys.executable, "-B", str(PROGRAM), "sh", "-c", script], text=True,
                          env={**os.environ, "TEST_SEED": str(seed)}, capture_output=True,
                          timeout=120, check=False)


class DisturbedRedisTest(unittest.TestCase):
    def test_the_command_meets_disturbances_and_its_end_is_passed_on(self):
        for code in (0, 7):
            done = beside(HOLD + str(code), seed=code)
            self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
            self.assertRegex(done.stdout, rf"TEST_SEED={code}: .*'[a-z ]+': [1-9]")

    def test_where_no_lock_was_held_nothing_was_shown(self):
        done = beside("sleep 5", seed=1)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn(" 0 times while a lock was held", done.stdout)


if __name__ == "__main__":
    unittest.main()
