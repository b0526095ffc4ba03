# SPDX-License-Identifier: Apache-2.0
"""Shows that the build itself refuses what it should, with a scratch project of two rooms.

The rooms are made by the same cmake/floor.cmake as ours, so a change there that weakens the link
test or the header check fails here.
"""

import os
import pathlib
import subprocess
import unittest

import planted

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(planted LANGUAGES CXX)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
set(BUILD_TESTING ON)
enable_testing()
include({floor})
passbook_floor(NAME low FLOOR 0 SOURCES src/low/low.cpp HEADERS src/low/low.h)
passbook_floor(NAME high FLOOR 1 {high} SOURCES src/high/high.cpp)
"""


class PlantedBuild(planted.PlantedTree):
    def setUp(self):
        super().setUp()
        self.write("src/low/low.h", "#pragma once\nint low();\n")
        self.write("src/low/low.cpp", '#include "low/low.h"\nint low() { return 1; }\n')
        # Declares what it calls by itself: the include check sees nothing, the linker does.
        self.write("src/high/high.cpp", "int low();\nint high() { return low(); }\n")

    def run_cmake(self, *arguments):
        return subprocess.run([os.environ["TEST_CMAKE"], *arguments], cwd=self.root, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def configure(self, high):
        floor = pathlib.Path(os.environ["TEST_SOURCE_DIR"]) / "cmake" / "floor.cmake"
        self.write("CMakeLists.txt", PROJECT.format(floor=floor, high=high))
        return self.run_cmake("-S", ".", "-B", "build", "-G", "Ninja",
                              "-D", "CMAKE_CXX_COMPILER=" + os.environ["TEST_CXX"])

    def test_a_room_that_declares_what_it_calls_links(self):
        self.assertEqual(self.configure("USES low").returncode, 0)
        built = self.run_cmake("--build", "build")
        self.assertEqual(built.returncode, 0, built.stdout)

    def test_a_room_that_calls_what_it_does_not_declare_fails_to_link(self):
        self.assertEqual(self.configure("").returncode, 0)
        built = self.run_cmake("--build", "build", "--target", "high_link_test")
        self.assertNotEqual(built.returncode, 0, built.stdout)
        self.assertIn("undefined reference to `low()'", built.stdout)

    def test_a_header_that_does_not_compile_alone_fails(self):
        uses_map = "std::map<int, int> f();\n"
        header = self.write("src/high/high.h", "#pragma once\n#include <map>\n" + uses_map)
        self.assertEqual(self.configure("USES low HEADERS src/high/high.h").returncode, 0)
        target = ("--build", "build", "--target", "all_verify_interface_header_sets")
        built = self.run_cmake(*target)
        self.assertEqual(built.returncode, 0, built.stdout)
        header.write_text("#pragma once\n" + uses_map, encoding="utf-8")
        built = self.run_cmake(*target)
        self.assertNotEqual(built.returncode, 0, built.stdout)
        self.assertIn("high.h", built.stdout)

    def test_an_argument_that_the_function_does_not_know_stops_the_configuration(self):
        for high, why in (("USE low", "unknown arguments: USE;low"),
                          ("USES none", "there is no such room"),
                          ("EXTERNAL none", "not in cmake/dependencies.cmake")):
            with self.subTest(high):
                configured = self.configure(high)
                self.assertNotEqual(configured.returncode, 0)
                self.assertIn(why, " ".join(configured.stdout.split()))


if __name__ == "__main__":
    unittest.main()
