# libweir: the rooms up to `api` as one shared and one static library with one public header, and how they are installed.
# Only what weir/weir.h declares is visible in the shared one: names are hidden by default, and src/api/libweir.map sees to
# the rest. It is linked with the shared forms of what it uses, for Debian's static ones cannot be part of a shared library.
include(GNUInstallDirs)

set(weir_library_rooms base fs vector format index meta file merge lsm table catalog api)
set(weir_library_map ${CMAKE_SOURCE_DIR}/src/api/libweir.map)

set(weir_library_objects "")
foreach(room ${weir_library_rooms})
  list(APPEND weir_library_objects $<TARGET_OBJECTS:weir_${room}>)
endforeach()

add_library(libweir SHARED ${weir_library_objects})
target_link_libraries(libweir PRIVATE jansson xxhash zstd lz4 snappy brotlienc brotlidec z bz2 pcre2-8 nettle expat
                                      Threads::Threads m)
target_link_options(libweir PRIVATE -Wl,--version-script=${weir_library_map})
set_target_properties(libweir PROPERTIES
  OUTPUT_NAME weir VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${weir_library_map}
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_include_directories(libweir INTERFACE ${CMAKE_SOURCE_DIR}/include)

add_library(libweir_static STATIC ${weir_library_objects})
set_target_properties(libweir_static PROPERTIES
  OUTPUT_NAME weir LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# weir.pc finds its prefix from where it lies, so that an installation may be moved.
file(RELATIVE_PATH weir_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/weir.pc.in ${CMAKE_BINARY_DIR}/weir.pc @ONLY)

install(TARGETS libweir libweir_static
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/include/weir/weir.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir)
install(FILES ${CMAKE_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
