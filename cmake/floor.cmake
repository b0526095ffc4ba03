# SPDX-License-Identifier: Apache-2.0
# The functions every CMakeLists.txt of this repository is made of. They name each file, so that
# nothing is built by accident, and write what they were told to rooms.json for the guards.

# Stops on arguments that a function does not know, and on required ones that are absent.
macro(passbook_parse_arguments required)
    cmake_parse_arguments(arg "" "${one}" "${many}" ${ARGN})
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(arg_KEYWORDS_MISSING_VALUES)
        list(REMOVE_ITEM arg_KEYWORDS_MISSING_VALUES ${many})
        if(arg_KEYWORDS_MISSING_VALUES)
            message(FATAL_ERROR "no value for ${arg_KEYWORDS_MISSING_VALUES}")
        endif()
    endif()
    foreach(keyword ${required})
        if(NOT DEFINED arg_${keyword})
            message(FATAL_ERROR "${keyword} is missing")
        endif()
    endforeach()
endmacro()

# Turns the short names of USES and EXTERNAL into targets.
function(passbook_resolve out uses external)
    set(targets "")
    foreach(room ${uses})
        if(NOT TARGET passbook_${room})
            message(FATAL_ERROR "USES ${room}: there is no such room on a lower floor")
        endif()
        list(APPEND targets passbook_${room})
    endforeach()
    foreach(name ${external})
        if(NOT DEFINED PASSBOOK_EXTERNAL_${name})
            message(FATAL_ERROR "EXTERNAL ${name}: not in cmake/dependencies.cmake")
        endif()
        list(APPEND targets ${PASSBOOK_EXTERNAL_${name}})
    endforeach()
    set(${out} ${targets} PARENT_SCOPE)
endfunction()

function(passbook_json_list out)
    set(items "")
    foreach(item ${ARGN})
        list(APPEND items "\"${item}\"")
    endforeach()
    list(JOIN items ", " joined)
    set(${out} "[${joined}]" PARENT_SCOPE)
endfunction()

# Notes one target for rooms.json: its kind, floor, files (relative to the root) and uses.
function(passbook_record kind name floor files uses external)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    set(paths "")
    foreach(file ${files})
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
        list(APPEND paths ${file})
    endforeach()
    passbook_json_list(paths ${paths})
    passbook_json_list(uses ${uses})
    passbook_json_list(external ${external})
    string(CONCAT record "{\"kind\": \"${kind}\", \"name\": \"${name}\", \"floor\": ${floor}, "
        "\"folder\": \"${folder}\", \"uses\": ${uses}, \"external\": ${external}, "
        "\"files\": ${paths}}")
    set_property(GLOBAL APPEND PROPERTY passbook_rooms "${record}")
endfunction()

function(passbook_write_rooms)
    get_property(rooms GLOBAL PROPERTY passbook_rooms)
    list(JOIN rooms ",\n" rooms)
    file(WRITE ${PROJECT_BINARY_DIR}/rooms.json "[\n${rooms}\n]\n")
endfunction()

# One ctest test per gtest test of `target`. What follows the label are fixtures they need.
function(passbook_discover target label)
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    set(fixtures "")
    if(ARGN)
        set(fixtures FIXTURES_REQUIRED ${ARGN})
    endif()
    gtest_discover_tests(${target}
        TEST_PREFIX "${target}."
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests
        NO_PRETTY_VALUES
        DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS ${label} TIMEOUT 300 ${fixtures})
endfunction()

# Makes a room: a static library, its unit tests, its link test and its header checks.
#   NAME, FLOOR      as in floors.toml
#   SOURCES, HEADERS files of the library
#   API              headers for the public, paths under include/
#   TESTS            gtest files; TEST_HEADERS what only they include
#   USES, EXTERNAL   rooms and third-party names it stands on; the link test holds it to them
#   TEST_USES, TEST_EXTERNAL  what only its tests need
function(passbook_floor)
    set(one NAME FLOOR)
    set(many SOURCES HEADERS API TESTS TEST_HEADERS USES EXTERNAL TEST_USES TEST_EXTERNAL)
    passbook_parse_arguments("NAME;FLOOR" ${ARGN})
    set(library passbook_${arg_NAME})
    passbook_resolve(uses "${arg_USES}" "${arg_EXTERNAL}")

    if(arg_SOURCES)
        add_library(${library} STATIC ${arg_SOURCES})
        set(access PUBLIC)
    else()
        add_library(${library} INTERFACE)
        set(access INTERFACE)
    endif()
    passbook_resolve(external "" "${arg_EXTERNAL}")
    set_property(GLOBAL APPEND PROPERTY passbook_room_names ${arg_NAME})
    set_target_properties(${library} PROPERTIES
        passbook_floor ${arg_FLOOR} passbook_external "${external}")
    target_compile_features(${library} ${access} cxx_std_20)
    target_link_libraries(${library} ${access} ${uses})
    # The path of an include begins at src/, or at the root for a room that stands beside it.
    set(base ${PROJECT_SOURCE_DIR}/src)
    list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE beside)
    list(FILTER beside EXCLUDE REGEX "^${base}/")
    if(beside)
        set(base ${PROJECT_SOURCE_DIR})
    endif()
    target_sources(${library} ${access} FILE_SET HEADERS
        BASE_DIRS ${base} FILES ${arg_HEADERS})
    set(api_files ${arg_API})
    list(TRANSFORM api_files PREPEND ${PROJECT_SOURCE_DIR}/include/)
    if(api_files)
        target_sources(${library} ${access} FILE_SET api TYPE HEADERS
            BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${api_files})
    endif()
    passbook_record(room ${arg_NAME} ${arg_FLOOR} "${arg_SOURCES};${arg_HEADERS};${api_files}"
        "${arg_USES}" "${arg_EXTERNAL}")

    if(BUILD_TESTING AND arg_SOURCES)
        passbook_link_test(${arg_NAME})
    endif()
    if(BUILD_TESTING AND arg_TESTS)
        passbook_resolve(test_uses "${arg_TEST_USES}" "${arg_TEST_EXTERNAL}")
        add_executable(${arg_NAME}_test ${arg_TESTS} ${arg_TEST_HEADERS})
        target_link_libraries(${arg_NAME}_test PRIVATE
            ${library} ${test_uses} GTest::gtest_main rapidcheck_gtest)
        passbook_discover(${arg_NAME}_test unit)
    endif()
    passbook_record(test ${arg_NAME}_test ${arg_FLOOR} "${arg_TESTS};${arg_TEST_HEADERS}"
        "${arg_NAME};${arg_TEST_USES}" "${arg_TEST_EXTERNAL}")
endfunction()

# Links the whole archive of a room against only what it declares: a symbol of an undeclared room
# stays undefined and the link fails, even where no test happens to call it.
function(passbook_link_test name)
    set(main ${PROJECT_BINARY_DIR}/link_test.cpp)
    if(NOT EXISTS ${main})
        file(WRITE ${main} "int main() {}\n")
    endif()
    add_executable(${name}_link_test ${main})
    target_link_libraries(${name}_link_test PRIVATE
        "$<LINK_LIBRARY:WHOLE_ARCHIVE,passbook_${name}>")
    set_target_properties(${name}_link_test PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_test(NAME guards.link.${name} COMMAND ${name}_link_test)
    set_tests_properties(guards.link.${name} PROPERTIES LABELS guards)
endfunction()

# Puts text files (SQL steps, a page) into a room's library: HEADER, a path under src/ that exists
# only in the build folder, declares `constexpr std::array<std::string_view, n> NAME` in NAMESPACE,
# in the order of FILES. A changed file configures anew.
function(passbook_embed)
    set(one ROOM HEADER NAMESPACE NAME)
    set(many FILES)
    passbook_parse_arguments("ROOM;HEADER;NAMESPACE;NAME;FILES" ${ARGN})
    set(literals "")
    foreach(file ${arg_FILES})
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} text)
        string(APPEND literals "    std::string_view{R\"~~~(${text})~~~\"},\n")
    endforeach()
    passbook_record(text ${arg_HEADER} 0 "${arg_FILES}" "" "")
    list(LENGTH arg_FILES count)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${arg_ROOM}/${arg_HEADER} @ONLY CONTENT
"// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace @arg_NAMESPACE@ {

inline constexpr std::array<std::string_view, @count@> @arg_NAME@{
@literals@};

}  // namespace @arg_NAMESPACE@
")
    target_include_directories(passbook_${arg_ROOM} PRIVATE
        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/${arg_ROOM}>)
endfunction()

# Makes an executable that is not a room's unit test: the product, an example, a bench.
# OUTPUT is the folder under the build directory, `bin` unless said.
function(passbook_program)
    set(one NAME FLOOR OUTPUT)
    set(many SOURCES USES EXTERNAL)
    passbook_parse_arguments("NAME;FLOOR;SOURCES" ${ARGN})
    passbook_resolve(uses "${arg_USES}" "${arg_EXTERNAL}")
    if(NOT arg_OUTPUT)
        set(arg_OUTPUT bin)
    endif()
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${arg_NAME} PRIVATE ${uses})
    set_target_properties(${arg_NAME} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${arg_OUTPUT})
    passbook_record(program ${arg_NAME} ${arg_FLOOR} "${arg_SOURCES}"
        "${arg_USES}" "${arg_EXTERNAL}")
endfunction()

# Makes a gtest executable that stands across rooms, such as the store contract. FIXTURES are
# started for it by ctest, such as a database server.
function(passbook_suite)
    set(one NAME FLOOR LABEL)
    set(many SOURCES HEADERS USES EXTERNAL FIXTURES)
    passbook_parse_arguments("NAME;FLOOR;LABEL;SOURCES" ${ARGN})
    passbook_record(suite ${arg_NAME} ${arg_FLOOR} "${arg_SOURCES};${arg_HEADERS}"
        "${arg_USES}" "${arg_EXTERNAL}")
    if(NOT BUILD_TESTING)
        return()
    endif()
    passbook_resolve(uses "${arg_USES}" "${arg_EXTERNAL}")
    add_executable(${arg_NAME} ${arg_SOURCES} ${arg_HEADERS})
    target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${arg_NAME} PRIVATE ${uses} GTest::gtest_main rapidcheck_gtest)
    passbook_discover(${arg_NAME} ${arg_LABEL} ${arg_FIXTURES})
endfunction()

# Registers scripts that are run by hand, such as the bench, so that no file goes unnamed.
function(passbook_script)
    set(one NAME)
    set(many FILES)
    passbook_parse_arguments("NAME;FILES" ${ARGN})
    passbook_record(script ${arg_NAME} 9 "${arg_FILES}" "" "")
endfunction()

# Registers a Python script (unittest, standard library only) that drives the built binary, found
# in TEST_BINARY. FILES are modules and data it reads. SERIAL yes: nothing runs beside it.
function(passbook_script_test)
    set(one NAME LABEL SCRIPT TIMEOUT SERIAL)
    set(many FILES ARGUMENTS)
    passbook_parse_arguments("NAME;LABEL;SCRIPT" ${ARGN})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    passbook_record(script ${arg_NAME} 9 "${arg_SCRIPT};${arg_FILES}" "" "")
    add_test(NAME ${arg_LABEL}.${arg_NAME}
        COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT} ${arg_ARGUMENTS})
    string(REGEX MATCHALL "-fsanitize=[^ ]+" sanitizers "${CMAKE_CXX_FLAGS}")
    list(JOIN sanitizers " " sanitizers)
    set(environment TEST_SOURCE_DIR=${PROJECT_SOURCE_DIR} TEST_SANITIZERS=${sanitizers}
        TEST_BUILD_DIR=${PROJECT_BINARY_DIR} TEST_CMAKE=${CMAKE_COMMAND}
        TEST_CXX=${CMAKE_CXX_COMPILER} TEST_VERSION=${PROJECT_VERSION})
    if(TARGET passbook)
        list(APPEND environment TEST_BINARY=$<TARGET_FILE:passbook>)
    endif()
    set_tests_properties(${arg_LABEL}.${arg_NAME} PROPERTIES
        LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${environment}")
    if(arg_SERIAL)
        set_tests_properties(${arg_LABEL}.${arg_NAME} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
