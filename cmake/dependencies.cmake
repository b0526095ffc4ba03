# SPDX-License-Identifier: Apache-2.0
# Every third-party package, with its least version; no other file calls find_package.
# Only an external listed here may be named in EXTERNAL of a room.
set(Boost_NO_WARN_NEW_VERSIONS ON)

find_package(Threads REQUIRED)
find_package(fmt 9.1 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(tl-expected 1.0 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
# libcsv 3.0 comes without a package file.
find_path(PASSBOOK_CSV_INCLUDE csv.h REQUIRED)
find_library(PASSBOOK_CSV_LIBRARY csv REQUIRED)
add_library(passbook_csv UNKNOWN IMPORTED)
set_target_properties(passbook_csv PROPERTIES IMPORTED_LOCATION ${PASSBOOK_CSV_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${PASSBOOK_CSV_INCLUDE})
if(BUILD_TESTING)
    find_package(GTest 1.12 REQUIRED)
    find_package(rapidcheck REQUIRED)
    find_package(benchmark 1.7 REQUIRED)
    include(GoogleTest)
endif()

# Short names that rooms use in EXTERNAL, and the targets they stand for.
set(PASSBOOK_EXTERNAL_threads Threads::Threads)
set(PASSBOOK_EXTERNAL_fmt fmt::fmt)
set(PASSBOOK_EXTERNAL_spdlog spdlog::spdlog)
set(PASSBOOK_EXTERNAL_cli11 CLI11::CLI11)
set(PASSBOOK_EXTERNAL_toml tomlplusplus::tomlplusplus)
set(PASSBOOK_EXTERNAL_csv passbook_csv)
set(PASSBOOK_EXTERNAL_prometheus prometheus-cpp::core)
set(PASSBOOK_EXTERNAL_expected tl::expected)
set(PASSBOOK_EXTERNAL_crypto OpenSSL::Crypto)
set(PASSBOOK_EXTERNAL_boost Boost::headers)
set(PASSBOOK_EXTERNAL_json Boost::json)
set(PASSBOOK_EXTERNAL_url Boost::url)
set(PASSBOOK_EXTERNAL_sqlite passbook_sqlite3)
set(PASSBOOK_EXTERNAL_benchmark benchmark::benchmark)
