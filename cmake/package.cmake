# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves: the program, and the library as one archive with its public headers
# and a package file, so that `find_package(passbook)` gives the target passbook::passbook.
# The rooms stay an inside matter: their objects go into that archive, their headers nowhere.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Rooms up to the engine make the library; the ones above are the program.
set(PASSBOOK_PACKAGE_FLOOR 6)

function(passbook_package)
    get_property(names GLOBAL PROPERTY passbook_room_names)
    set(objects $<TARGET_OBJECTS:passbook_sqlite3>)
    set(targets "")
    foreach(name ${names})
        get_target_property(floor passbook_${name} passbook_floor)
        get_target_property(type passbook_${name} TYPE)
        get_target_property(external passbook_${name} passbook_external)
        if(floor LESS_EQUAL PASSBOOK_PACKAGE_FLOOR)
            list(APPEND targets ${external})
            if(type STREQUAL STATIC_LIBRARY)
                list(APPEND objects $<TARGET_OBJECTS:passbook_${name}>)
            endif()
        endif()
    endforeach()
    list(REMOVE_DUPLICATES targets)
    list(REMOVE_ITEM targets passbook_sqlite3)

    add_library(passbook_package STATIC ${objects})
    set_target_properties(passbook_package PROPERTIES
        OUTPUT_NAME passbook EXPORT_NAME passbook LINKER_LANGUAGE CXX)
    target_compile_features(passbook_package PUBLIC cxx_std_20)
    target_link_libraries(passbook_package PRIVATE ${targets} Threads::Threads m)
    get_target_property(headers passbook_engine HEADER_SET_api)
    target_sources(passbook_package PUBLIC FILE_SET HEADERS
        BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})

    install(TARGETS passbook_package EXPORT passbook FILE_SET HEADERS)
    install(TARGETS passbook)
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
    set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/passbook)
    install(EXPORT passbook NAMESPACE passbook:: FILE passbookTargets.cmake DESTINATION ${folder})
    configure_package_config_file(cmake/passbookConfig.cmake.in
        ${PROJECT_BINARY_DIR}/passbookConfig.cmake INSTALL_DESTINATION ${folder})
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/passbookConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/passbookConfig.cmake
        ${PROJECT_BINARY_DIR}/passbookConfigVersion.cmake DESTINATION ${folder})
endfunction()
