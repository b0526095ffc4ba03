# SPDX-License-Identifier: Apache-2.0
"""Shows that the include check fails on each kind of violation, and only then."""

import unittest

import includes
import planted

FLOORS = """
[room.base]
folder = "src/base"
floor = 0
third_party = ["fmt"]

[room.store]
folder = "src/store"
floor = 3

[room.store_memory]
folder = "src/store/memory"
floor = 3
door = "store"

[room.audit]
folder = "src/audit"
floor = 5

[room.writer]
folder = "src/writer"
floor = 5
tests_open = ["store_memory"]

[room.engine]
folder = "src/engine"
floor = 6
opens = ["store_memory"]

[room.http]
folder = "src/http"
floor = 7
third_party = ["boost", "asio"]

[third_party.fmt]
headers = ["fmt/"]

[third_party.boost]
headers = ["boost/"]

[third_party.asio]
headers = ["boost/asio"]
external = "boost"
sources_only = true
files_max = 1

[third_party.gtest]
headers = ["gtest/"]
external = ""
tests = true
"""


class IncludeCheck(planted.PlantedTree):
    def setUp(self):
        super().setUp()
        self.write("floors.toml", FLOORS)
        for header in ("base/a.h", "store/store.h", "store/memory/m.h", "audit/a.h", "writer/w.h"):
            self.write("src/" + header)
        self.targets = [
            {"name": "base", "folder": "src/base"},
            {"name": "store", "folder": "src/store", "floor": 3, "uses": ["base"]},
            {"name": "store_memory", "folder": "src/store/memory", "floor": 3, "uses": ["store"]},
        ]

    def check(self, path, text, **target):
        """Errors of the tree with one more target, whose only file is `path`."""
        self.write(path, text)
        rooms = self.write_rooms(*self.targets, {"files": [path], **target})
        return includes.check(self.root, rooms)

    def writer(self, text, uses=("base", "store"), **more):
        return self.check("src/writer/w.cpp", text, name="writer", folder="src/writer", floor=5,
                          uses=list(uses), **more)

    def test_a_lower_floor_that_is_declared_is_allowed(self):
        text = '#include "writer/w.h"\n#include "store/store.h"\n#include <vector>\n'
        self.assertEqual(self.writer(text), [])

    def test_a_lower_floor_that_is_not_declared_is_refused(self):
        self.assert_one(self.writer('#include "base/a.h"\n', uses=["store"]), "needs USES base")

    def test_a_higher_floor_is_refused(self):
        errors = self.check("src/base/b.cpp", '#include "store/store.h"\n', name="base_more",
                            kind="program", folder="src/base", uses=[])
        self.assert_one(errors, "room base may not include")

    def test_a_stranger_on_the_same_floor_is_refused(self):
        self.assert_one(self.writer('#include "audit/a.h"\n'), "may not include")

    def test_a_stranger_in_uses_is_refused(self):
        self.assert_one(self.writer("", uses=["audit"]), "may not use audit")

    def test_an_inner_room_is_refused_to_all_but_who_opens_it(self):
        text = '#include "store/memory/m.h"\n'
        self.assert_one(self.writer(text), "may not include")
        errors = self.check("src/engine/e.cpp", text, name="engine", folder="src/engine", floor=6,
                            uses=["store_memory"])
        self.assertEqual(errors, [])

    def test_an_inner_room_includes_its_door(self):
        errors = self.check("src/store/memory/m.cpp", '#include "store/store.h"\n', kind="program",
                            name="more", folder="src/store/memory", floor=3, uses=["store"])
        self.assertEqual(errors, [])

    def test_the_door_does_not_include_its_inner_room(self):
        errors = self.check("src/store/s.cpp", '#include "store/memory/m.h"\n', kind="program",
                            name="more", folder="src/store", floor=3, uses=[])
        self.assert_one(errors, "room store may not include")

    def test_only_a_test_may_open_what_tests_open(self):
        text = '#include "store/memory/m.h"\n#include <gtest/gtest.h>\n'
        errors = self.check("src/writer/w_test.cpp", text, name="writer_test", kind="test",
                            folder="src/writer", floor=5, uses=["store_memory"])
        self.assertEqual(errors, [])

    def test_gtest_is_refused_outside_tests(self):
        self.assert_one(self.writer("#include <gtest/gtest.h>\n"), "(gtest)")

    def test_a_third_party_header_of_another_room_is_refused(self):
        self.assert_one(self.writer("#include <boost/json.hpp>\n", external=[]), "(boost)")

    def test_an_external_of_another_room_is_refused(self):
        self.assert_one(self.writer("", external=["fmt"]), "may not use external fmt")

    def test_a_third_party_that_is_not_declared_is_refused(self):
        errors = self.check("src/base/b.cpp", "#include <fmt/format.h>\n", name="base_more",
                            kind="program", folder="src/base", uses=[])
        self.assert_one(errors, "needs EXTERNAL fmt")

    def test_an_unknown_header_is_refused(self):
        self.assert_one(self.writer("#include <curses.h>\n"), "neither standard nor")

    def test_a_header_of_ours_that_does_not_exist_is_refused(self):
        self.assert_one(self.writer('#include "w.h"\n'), "is no path under src/")

    def test_a_computed_include_is_refused(self):
        self.assert_one(self.writer("#include HEADER\n"), "no plain path")

    def http(self, path):
        self.write(path, "#include <boost/asio/ip/tcp.hpp>\n")
        return {"name": "http", "folder": "src/http", "floor": 7, "external": ["boost"],
                "files": [path]}

    def test_asio_in_a_header_is_refused(self):
        rooms = self.write_rooms(self.http("src/http/h.h"))
        self.assert_one(includes.check(self.root, rooms), "only in a .cpp file")

    def test_asio_in_one_file_too_many_is_refused(self):
        one, two = self.http("src/http/a.cpp"), self.http("src/http/b.cpp")
        self.assertEqual(includes.check(self.root, self.write_rooms(one)), [])
        one["files"] += two["files"]
        self.assert_one(includes.check(self.root, self.write_rooms(one)), "at most 1 may")

    def test_a_floor_that_differs_from_floors_toml_is_refused(self):
        errors = self.check("src/writer/w.cpp", "", name="writer", folder="src/writer", floor=4)
        self.assert_one(errors, "floors.toml says 5")

    def test_a_folder_that_is_no_room_is_refused(self):
        errors = self.check("src/attic/a.cpp", "", name="attic", folder="src/attic")
        self.assert_one(errors, "is no room")

    def test_a_room_that_floors_toml_names_wrongly_is_refused(self):
        self.write("floors.toml", FLOORS + '[room.x]\nfolder = "x"\nfloor = 9\nopens = ["y"]\n')
        with self.assertRaisesRegex(ValueError, "'y', which is no room"):
            includes.check(self.root, self.write_rooms())


if __name__ == "__main__":
    unittest.main()
