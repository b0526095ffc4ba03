#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the parts of a long test that ran into its report: long_report.py FILE COMMIT CLEAN, where
CLEAN is 1 if the tree was that commit, and stdin has a line per part: name, seconds, tests passed,
tests failed."""

import json
import pathlib
import sys


def main():
    file, commit, clean = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "1"
    parts = {}
    if file.is_file():
        parts = {part["name"]: part for part in json.loads(file.read_text("utf-8"))["parts"]}
    for line in sys.stdin:
        name, seconds, passed, failed = line.split()
        parts[name] = {"name": name, "result": "fail" if int(failed) else "pass",
                       "seconds": int(seconds), "passed": int(passed), "failed": int(failed),
                       "commit": commit, "clean": clean}
    rows = ",\n".join(f"    {json.dumps(part)}" for part in parts.values())
    total = {name: sum(part[name] for part in parts.values())
             for name in ("seconds", "passed", "failed")}
    head = ", ".join(f'"{name}": {value}' for name, value in total.items())
    file.write_text(f'{{\n  {head},\n  "parts": [\n{rows}\n  ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
