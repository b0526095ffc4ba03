# SPDX-License-Identifier: Apache-2.0
"""Fails where the table of reported cases and the tests named after them differ, and where a case
waits for a part that is there.

usage: cases_table.py ROOT
"""

import collections
import pathlib
import re
import sys

TABLE = "tests/system/CASES.md"
ROW = re.compile(r"^\| B-(\d+) \| .+ \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"^    def test_b_(\d+)_", re.MULTILINE)
# By what a part is known to be there: a route of the server's.
PARTS = {"coupons": "/v1/coupons", "stock": "/v1/items", "events": "/v1/events", "lots": "}/lots",
         "jobs": "/v1/jobs"}


def tests_of(root):
    """Case -> the files with a test of its name."""
    files = collections.defaultdict(set)
    for path in sorted((root / "tests" / "system").glob("*.py")):
        for case in TEST.findall(path.read_text(encoding="utf-8")):
            files[int(case)].add(path.name)
    return files


def parts_that_exist(root):
    text = "".join(path.read_text(encoding="utf-8") for path in (root / "src").rglob("*.cpp"))
    return {part for part, route in PARTS.items() if route in text}


def check(root):
    root = pathlib.Path(root)
    existing = parts_that_exist(root)
    rows = ROW.findall((root / TABLE).read_text(encoding="utf-8"))
    tests = tests_of(root)
    errors = []
    seen = set()
    for case, where in ((int(case), where) for case, where in rows):
        if case in seen:
            errors.append(f"B-{case:02}: stands twice")
        seen.add(case)
        part = where.removeprefix("waits for ") if where.startswith("waits for ") else None
        if part is None:
            named = set(re.findall(r"`([^`]+)`", where))
            if named != tests[case] or not named:
                errors.append(f"B-{case:02}: the table names {sorted(named)}, and tests of its "
                              f"name are in {sorted(tests[case])}")
        elif part not in PARTS:
            errors.append(f"B-{case:02}: waits for '{part}', which is none of {sorted(PARTS)}")
        elif part in existing:
            errors.append(f"B-{case:02}: waits for {part}, which is there: write its test")
        elif tests[case]:
            errors.append(f"B-{case:02}: is said to wait, and has a test")
    errors += [f"B-{case:02}: has a test and no row" for case in sorted(tests.keys() - seen)]
    if not rows:
        errors.append(f"{TABLE}: holds no case")
    return errors


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    errors = check(sys.argv[1])
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
