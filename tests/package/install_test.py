# SPDX-License-Identifier: Apache-2.0
"""Installs into an empty folder and builds the examples from there, as a stranger would."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE_DIR"])
CMAKE = os.environ["TEST_CMAKE"]

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(stranger LANGUAGES CXX)
find_package(passbook {version} REQUIRED)
foreach(name {names})
    add_executable(${{name}} {examples}/${{name}}.cpp)
    target_link_libraries(${{name}} PRIVATE passbook::passbook)
endforeach()
"""


def run(*command, cwd):
    """Runs a command; its output and whether it went well."""
    done = subprocess.run(command, cwd=cwd, text=True, check=False, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout, done.returncode == 0


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="passbook-install-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        output, good = run(CMAKE, "--install", os.environ["TEST_BUILD_DIR"],
                           "--prefix", str(cls.prefix), cwd=cls.folder)
        if not good:
            raise AssertionError(output)

    def configure(self, name, version):
        """Configures a scratch project over every example; its folder, output and success."""
        project = self.folder / name
        project.mkdir()
        self.examples = sorted(path.stem for path in (SOURCE / "examples").glob("*.cpp"))
        (project / "CMakeLists.txt").write_text(PROJECT.format(
            version=version, names=" ".join(self.examples), examples=SOURCE / "examples"),
            encoding="utf-8")
        output, good = run(CMAKE, "-S", ".", "-B", "build", "-G", "Ninja",
                           f"-DCMAKE_PREFIX_PATH={self.prefix}",
                           f"-DCMAKE_CXX_COMPILER={os.environ['TEST_CXX']}",
                           f"-DCMAKE_CXX_FLAGS={os.environ['TEST_SANITIZERS']}", cwd=project)
        return project, output, good

    def test_only_the_public_headers_are_installed(self):
        names = {path.relative_to(self.prefix / "include").as_posix()
                 for path in (self.prefix / "include").rglob("*") if path.is_file()}
        public = {path.relative_to(SOURCE / "include").as_posix()
                  for path in (SOURCE / "include").rglob("*.h")}
        self.assertTrue(public)
        self.assertEqual(names, public)

    def test_the_installed_program_runs(self):
        output, good = run(str(self.prefix / "bin" / "passbook"), "version", cwd=self.folder)
        self.assertTrue(good, output)
        self.assertIn(os.environ["TEST_VERSION"], output)

    def test_every_example_builds_from_the_package_and_runs(self):
        project, output, good = self.configure("stranger", os.environ["TEST_VERSION"])
        self.assertTrue(good, output)
        self.assertTrue(self.examples)
        output, good = run(CMAKE, "--build", "build", cwd=project)
        self.assertTrue(good, output)
        for name in self.examples:
            with self.subTest(name):
                output, good = run(str(project / "build" / name), cwd=project)
                self.assertTrue(good, output)

    def test_a_version_that_is_not_installed_is_not_found(self):
        _, output, good = self.configure("newer", "99.0")
        self.assertFalse(good)
        self.assertIn("99.0", output)


if __name__ == "__main__":
    unittest.main()
