# SPDX-License-Identifier: Apache-2.0
# SQLite as a static library of our own: Debian's release has a WAL bug that can corrupt a store.
# The sources are not in the repository; `./dev deps` fetches and checks them.
set(PASSBOOK_SQLITE_VERSION 3.53.2)
set(PASSBOOK_SQLITE_DIR ${PROJECT_SOURCE_DIR}/build/deps/sqlite-${PASSBOOK_SQLITE_VERSION}
    CACHE PATH "Folder that holds sqlite3.c and sqlite3.h")
# Also in debug builds, where an unoptimised SQLite would be most of what tests wait for.
set(PASSBOOK_SQLITE_OPTIMIZATION -O2 CACHE STRING "Optimization of SQLite itself")

foreach(file sqlite3.c sqlite3.h)
    if(NOT EXISTS ${PASSBOOK_SQLITE_DIR}/${file})
        message(FATAL_ERROR "${PASSBOOK_SQLITE_DIR}/${file} is missing: run ./dev deps")
    endif()
endforeach()
file(STRINGS ${PASSBOOK_SQLITE_DIR}/sqlite3.h sqlite_version_line
    REGEX "^#define SQLITE_VERSION +\"${PASSBOOK_SQLITE_VERSION}\"$")
if(NOT sqlite_version_line)
    message(FATAL_ERROR "${PASSBOOK_SQLITE_DIR} is not SQLite ${PASSBOOK_SQLITE_VERSION}: "
        "remove it and run ./dev deps")
endif()

add_library(passbook_sqlite3 STATIC ${PASSBOOK_SQLITE_DIR}/sqlite3.c)
target_include_directories(passbook_sqlite3 SYSTEM PUBLIC
    $<BUILD_INTERFACE:${PASSBOOK_SQLITE_DIR}>)
target_link_libraries(passbook_sqlite3 PUBLIC Threads::Threads $<$<PLATFORM_ID:Linux>:m>)
target_compile_options(passbook_sqlite3 PRIVATE -w ${PASSBOOK_SQLITE_OPTIMIZATION})
target_compile_definitions(passbook_sqlite3 PRIVATE
    # One connection is never used by two threads at once, so no lock inside the library.
    SQLITE_THREADSAFE=2
    # A misspelt column is an error, not a string.
    SQLITE_DQS=0
    SQLITE_DEFAULT_FOREIGN_KEYS=1
    SQLITE_DEFAULT_MEMSTATUS=0
    SQLITE_LIKE_DOESNT_MATCH_BLOBS
    SQLITE_STRICT_SUBTYPE=1
    SQLITE_OMIT_DEPRECATED
    SQLITE_OMIT_LOAD_EXTENSION
    SQLITE_OMIT_SHARED_CACHE
    SQLITE_USE_ALLOCA
    # Without it the library calls fsync, which also writes the file's times at each commit.
    HAVE_FDATASYNC=1
    HAVE_USLEEP=1
    HAVE_GMTIME_R=1
    HAVE_LOCALTIME_R=1)
