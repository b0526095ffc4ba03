# SPDX-License-Identifier: Apache-2.0
"""Small trees with a planted violation: each guard is shown to fail on what it guards against."""

import json
import pathlib
import tempfile
import unittest


class PlantedTree(unittest.TestCase):
    """A test with an empty folder of its own as `self.root`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-guard-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_rooms(self, *targets):
        """Writes rooms.json, as CMake would, from targets that say only what matters."""
        rooms = [{"kind": "room", "floor": 0, "uses": [], "external": [], "files": [], **target}
                 for target in targets]
        return self.write("build/rooms.json", json.dumps(rooms))

    def assert_one(self, errors, part):
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(part, errors[0])
