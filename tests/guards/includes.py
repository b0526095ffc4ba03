# SPDX-License-Identifier: Apache-2.0
"""Holds every #include and every USES of the house to floors.toml.

What an archive's symbols need, the link test sees; this sees what inline code needs. Both are
necessary, and neither has a list of exceptions.

usage: includes.py ROOT ROOMS_JSON
"""

import json
import pathlib
import re
import sys
import tomllib

INCLUDE = re.compile(r'^\s*#\s*include\b\s*(?:(["<])([^">]+)[">])?')

STANDARD = frozenset("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono
cinttypes climits clocale cmath codecvt compare complex concepts condition_variable coroutine
csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
exception execution filesystem format forward_list fstream functional future initializer_list
iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource
mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf
string string_view syncstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version
""".split())


class House:
    """What floors.toml says, with the questions the check asks of it."""

    def __init__(self, text):
        plan = tomllib.loads(text)
        self.rooms = plan["room"]
        self.third_party = plan["third_party"]
        for name, room in self.rooms.items():
            for other in [room.get("door"), *room.get("opens", []), *room.get("tests_open", []),
                          *room.get("sees", []), *room.get("links", [])]:
                if other is not None and other not in self.rooms:
                    raise ValueError(f"room {name} names '{other}', which is no room")
            for package in room.get("third_party", []):
                if package not in self.third_party:
                    raise ValueError(f"room {name} names '{package}', which is no third party")

    def room_of(self, path):
        """The room whose folder holds `path` most closely, or None."""
        found = None
        for name, room in self.rooms.items():
            if path.startswith(room["folder"] + "/"):
                if found is None or len(room["folder"]) > len(self.rooms[found]["folder"]):
                    found = name
        return found

    def may_use(self, user, used, is_test):
        """Whether files of room `user` may include files of room `used`."""
        room, other = self.rooms[user], self.rooms[used]
        if user == used or room.get("door") == used:
            return True
        if used in room.get("opens", []):
            return True
        if is_test and used in room.get("tests_open", []):
            return True
        if "sees" in room:
            return used in room["sees"]
        return "door" not in other and other["floor"] < room["floor"]

    def package_of(self, header):
        """The third party that `header` belongs to, by the longest match, or None."""
        best, best_length = None, -1
        for name, package in self.third_party.items():
            for start in package["headers"]:
                whole = header == start or header.startswith(start.rstrip("/") + "/")
                if whole and len(start) > best_length:
                    best, best_length = name, len(start)
        return best

    def may_use_package(self, user, package, is_test):
        if is_test and self.third_party[package].get("tests", False):
            return True
        return package in self.rooms[user].get("third_party", [])

    def external_of(self, package):
        return self.third_party[package].get("external", package)


class Check:
    """Walks the registered files of one tree and gathers what is wrong."""

    def __init__(self, root, house, targets):
        self.root = pathlib.Path(root)
        self.house = house
        self.targets = targets
        self.errors = []
        self.package_files = {}
        self.generated = {}
        for target in targets:
            if target["kind"] == "text":
                self.generated[target["name"]] = target

    def run(self):
        for target in self.targets:
            if target["kind"] in ("room", "test", "suite", "program"):
                self.check_target(target)
        for package, files in sorted(self.package_files.items()):
            most = self.house.third_party[package].get("files_max")
            if most is not None and len(files) > most:
                self.errors.append(
                    f"{package}: included by {len(files)} files, at most {most} may: "
                    + ", ".join(sorted(files)))
        return self.errors

    def check_target(self, target):
        where = target["folder"] + "/CMakeLists.txt"
        is_test = target["kind"] in ("test", "suite")
        owner = self.house.room_of(where)
        if owner is None:
            self.errors.append(f"{where}: its folder is no room of floors.toml")
            return
        if target["kind"] == "room" and owner != target["name"]:
            self.errors.append(f"{where}: room {target['name']} is called {owner} in floors.toml")
        if target["floor"] != self.house.rooms[owner]["floor"]:
            self.errors.append(
                f"{where}: {target['name']} stands on floor {target['floor']}, floors.toml says "
                f"{self.house.rooms[owner]['floor']}")
        self.check_declared(target, where, owner, is_test)
        for path in target["files"]:
            self.check_file(path, target, is_test)

    def check_declared(self, target, where, owner, is_test):
        for used in target["uses"]:
            if used not in self.house.rooms:
                self.errors.append(f"{where}: {target['name']} uses {used}, no room of floors.toml")
            elif not (self.house.may_use(owner, used, is_test)
                      or used in self.house.rooms[owner].get("links", [])):
                self.errors.append(f"{where}: {target['name']} may not use {used}")
        for external in target["external"]:
            packages = [name for name in self.house.third_party
                        if self.house.external_of(name) == external]
            if not any(self.house.may_use_package(owner, name, is_test) for name in packages):
                self.errors.append(f"{where}: {target['name']} may not use external {external}")

    def check_file(self, path, target, is_test):
        owner = self.house.room_of(path)
        if owner is None:
            self.errors.append(f"{path}: lies in no room of floors.toml")
            return
        text = (self.root / path).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            where = f"{path}:{number}"
            if match.group(2) is None:
                self.errors.append(f"{where}: an include that is no plain path can't be checked")
            elif match.group(1) == '"':
                self.check_own(where, match.group(2), path, owner, target, is_test)
            else:
                self.check_angled(where, match.group(2), path, owner, target, is_test)

    def find_own(self, header):
        """The path, from the root, of a header of ours, or None."""
        if header in self.generated:
            in_src = self.generated[header]["folder"].startswith("src/")
            return "src/" + header if in_src else header
        for folder in ("src/", "include/", ""):
            if (self.root / (folder + header)).is_file():
                return folder + header
        return None

    def check_own(self, where, header, path, owner, target, is_test):
        found = self.find_own(header)
        if found is None:
            self.errors.append(f'{where}: "{header}" is no path under src/ or include/')
            return
        used = self.house.room_of(found)
        if used is None:
            self.errors.append(f'{where}: "{header}" lies in no room')
        elif not self.house.may_use(owner, used, is_test):
            self.errors.append(f'{where}: room {owner} may not include "{header}" of room {used}')
        elif used != owner and not self.is_declared(used, owner, target):
            self.errors.append(
                f'{where}: "{header}" needs USES {used} in {target["folder"]}/CMakeLists.txt')

    def is_declared(self, used, owner, target):
        """The public headers belong to engine's target; a test has what its room has."""
        names = set(target["uses"])
        for other in self.targets:
            if other["kind"] == "room" and other["name"] in (owner, target["name"]):
                names |= set(other["uses"]) | {other["name"]}
        if used == "api":
            return bool(names & {"engine", "http"}) or target["name"] == "engine"
        return used in names

    def check_angled(self, where, header, path, owner, target, is_test):
        if header in STANDARD:
            return
        if self.find_own(header) is not None:
            self.check_own(where, header, path, owner, target, is_test)
            return
        package = self.house.package_of(header)
        if package is None:
            self.errors.append(f"{where}: <{header}> is neither standard nor in floors.toml")
            return
        if not self.house.may_use_package(owner, package, is_test):
            self.errors.append(f"{where}: room {owner} may not include <{header}> ({package})")
            return
        self.package_files.setdefault(package, set()).add(path)
        if self.house.third_party[package].get("sources_only") and not path.endswith(".cpp"):
            self.errors.append(f"{where}: <{header}> may stand only in a .cpp file")
        external = self.house.external_of(package)
        tests = is_test and self.house.third_party[package].get("tests", False)
        if external and not tests and not self.has_external(external, owner, target):
            self.errors.append(
                f"{where}: <{header}> needs EXTERNAL {external} in "
                f"{target['folder']}/CMakeLists.txt or in a room it uses")

    def has_external(self, external, owner, target):
        """Whether `external` is declared by the target or reaches it through what it uses."""
        rooms = {t["name"]: t for t in self.targets if t["kind"] == "room"}
        seen, waiting = set(), [target]
        if owner in rooms:
            waiting.append(rooms[owner])
        while waiting:
            current = waiting.pop()
            if external in current["external"]:
                return True
            for name in current["uses"]:
                if name in rooms and name not in seen:
                    seen.add(name)
                    waiting.append(rooms[name])
        return False


def check(root, rooms_file):
    root = pathlib.Path(root)
    house = House((root / "floors.toml").read_text(encoding="utf-8"))
    targets = json.loads(pathlib.Path(rooms_file).read_text(encoding="utf-8"))
    return Check(root, house, targets).run()


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
