# SPDX-License-Identifier: Apache-2.0
"""Fails on a file that no CMake target names: it would rot unseen, a test would never run.

usage: registered.py ROOT ROOMS_JSON
"""

import json
import pathlib
import sys

FOLDERS = ("src", "include", "lab", "tests", "examples", "bench", "sql")
SUFFIXES = (".h", ".cpp", ".c", ".py", ".sh", ".sql")


def check(root, rooms_file):
    root = pathlib.Path(root)
    targets = json.loads(pathlib.Path(rooms_file).read_text(encoding="utf-8"))
    owners = {}
    errors = []
    for target in targets:
        for path in target["files"]:
            owners.setdefault(path, []).append(target)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and path.is_file() and name not in owners:
                errors.append(f"{name}: no CMakeLists.txt names it")
    for path, named_by in sorted(owners.items()):
        names = " and ".join(target["name"] for target in named_by)
        kinds = {target["kind"] for target in named_by}
        if not (root / path).is_file():
            errors.append(f"{path}: named by {names}, but there is no such file")
        if path.endswith((".cpp", ".h")) and len(named_by) > 1:
            errors.append(f"{path}: named by {names}; one target must own it")
        if path.endswith("_test.cpp") and not kinds <= {"test", "suite"}:
            errors.append(f"{path}: a test that {names} lists among its sources never runs")
    return errors


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    errors = check(sys.argv[1], sys.argv[2])
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
