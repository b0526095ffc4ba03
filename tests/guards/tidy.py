# SPDX-License-Identifier: Apache-2.0
"""House rules that no compiler knows: first line, width, length, words, links, skipped tests.

usage: tidy.py ROOT
"""

import pathlib
import re
import sys

SKIPPED_FOLDERS = {".git", "build", "__pycache__", "node_modules"}
CODE_SUFFIXES = {".h", ".cpp", ".c", ".py", ".sh", ".sql", ".cmake", ".toml"}
CODE_NAMES = {"CMakeLists.txt", "dev", "run", ".clang-format", ".clang-tidy", ".editorconfig"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".md", ".json", ".html", ".css", ".js", ".yml", ".yaml", ".txt"}

COLUMNS_MAX = 100
LINES_MAX = 600
BANNED_NAMES = {"util", "utils", "common", "helper", "helpers", "manager", "misc"}

# Written in two halves, so that this file does not find itself.
BANNED_TEXT = [
    (re.compile(r"\b(" + "TO" + r"DO|FIX" + r"ME|XX" + r"X)\b"), "finish it or leave it out"),
    (re.compile(r"(?<![\w.])/(w" + r"ork|r" + r"oot|h" + r"ome)/"), "a path of one machine"),
    (re.compile(r"\b(npm" + r"js\.|py" + r"pi\.org|deb\." + r"debian\.org|crates\." + r"io)"),
     "a package registry's host"),
    (re.compile("GTEST_" + r"SKIP|\bDISABLED" + r"_\w|\bskip" + r"(Test|If|Unless)?\("),
     "a test that may not run"),
    (re.compile("NO" + r"LINT(NEXTLINE|BEGIN)?(?!\w|\([\w.-]+)"), "names no check"),
]

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")


def files_of(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not SKIPPED_FOLDERS.intersection(parts):
            yield path


def is_code(path):
    return path.suffix in CODE_SUFFIXES or path.name in CODE_NAMES


def anchor_of(heading):
    """The anchor that a markdown heading gets on the usual forges."""
    plain = re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(path):
    anchors, fenced = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            fenced = not fenced
        if not fenced and line.startswith("#"):
            anchors.add(anchor_of(line.lstrip("#")))
    return anchors


def check_name(name):
    for part in pathlib.PurePosixPath(name).parts:
        words = set(re.split(r"[_.\- ]+", part.lower()))
        for banned in sorted(BANNED_NAMES & words):
            yield f"{name}: '{banned}' says nothing; name it by what it holds"


def check_code(name, lines):
    first = lines[1:2] if lines and lines[0].startswith("#!") else lines[0:1]
    if not first or not re.search(r"^(//|#|--) SPDX-License-Identifier: Apache-2\.0$", first[0]):
        yield f"{name}:1: the first line must be the SPDX-License-Identifier"
    if len(lines) > LINES_MAX:
        yield f"{name}: {len(lines)} lines, at most {LINES_MAX} may be"
    if name.endswith(".h") and "#pragma once" not in lines:
        yield f"{name}: no #pragma once"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield f"{name}:{number}: {len(line)} columns, at most {COLUMNS_MAX} may be"
        if "\t" in line:
            yield f"{name}:{number}: a tab"


def check_text(name, text, lines):
    if text and not text.endswith("\n"):
        yield f"{name}: no line end at its end"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield f"{name}:{number}: white space at the line's end"
        for pattern, why in BANNED_TEXT:
            match = pattern.search(line)
            if match:
                yield f"{name}:{number}: '{match.group(0)}': {why}"


def check_links(root, path, name, lines):
    fenced = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            goal = (path.parent / file).resolve() if file else path
            if not goal.exists() or root not in goal.parents:
                yield f"{name}:{number}: the link to '{target}' leads nowhere"
            elif anchor and goal.suffix == ".md" and anchor not in anchors_of(goal):
                yield f"{name}:{number}: '{file or name}' has no heading for '#{anchor}'"


def check(root):
    root = pathlib.Path(root).resolve()
    errors = []
    for path in files_of(root):
        name = path.relative_to(root).as_posix()
        errors += check_name(name)
        if path.suffix not in TEXT_SUFFIXES and path.name not in CODE_NAMES:
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        errors += check_text(name, text, lines)
        if is_code(path):
            errors += check_code(name, lines)
        if path.suffix == ".md":
            errors += check_links(root, path, name, lines)
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
