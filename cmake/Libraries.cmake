# The libraries that Weir stands on, as Debian 12 has them, and DuckDB's static archives.
# Small, hot libraries are linked statically; the others are Debian's shared ones.
find_package(Threads REQUIRED)

function(weir_static_library target archive header)
  find_library(${target}_ARCHIVE NAMES lib${archive}.a REQUIRED)
  find_path(${target}_INCLUDE NAMES ${header} REQUIRED)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${${target}_ARCHIVE} ${ARGN})
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
endfunction()

weir_static_library(lib_zstd zstd zstd.h)
weir_static_library(lib_lz4 lz4 lz4.h)
weir_static_library(lib_snappy snappy snappy-c.h stdc++)
weir_static_library(lib_brotli_common brotlicommon brotli/types.h)
weir_static_library(lib_brotli_decode brotlidec brotli/decode.h lib_brotli_common m)
weir_static_library(lib_brotli brotlienc brotli/encode.h lib_brotli_decode)
weir_static_library(lib_jansson jansson jansson.h)
weir_static_library(lib_xxhash xxhash xxhash.h)
weir_static_library(lib_zlib z zlib.h)
weir_static_library(lib_bzip2 bz2 bzlib.h)
weir_static_library(lib_rocksdb rocksdb rocksdb/c.h lib_snappy lib_lz4 lib_zstd lib_bzip2 lib_zlib stdc++ m dl
                    Threads::Threads)
weir_static_library(lib_pcre2 pcre2-8 pcre2.h)
weir_static_library(lib_nettle nettle nettle/sha2.h)
weir_static_library(lib_expat expat expat.h)

# Network libraries are opened when they are first used: only their headers are needed here.
find_path(lib_mariadb_INCLUDE NAMES mysql.h PATH_SUFFIXES mariadb REQUIRED)
add_library(lib_mariadb_headers INTERFACE)
target_include_directories(lib_mariadb_headers SYSTEM INTERFACE ${lib_mariadb_INCLUDE})
find_path(lib_curl_INCLUDE NAMES curl/curl.h REQUIRED)
add_library(lib_curl_headers INTERFACE)
target_include_directories(lib_curl_headers SYSTEM INTERFACE ${lib_curl_INCLUDE})
find_path(lib_rdkafka_INCLUDE NAMES librdkafka/rdkafka.h REQUIRED)
add_library(lib_rdkafka_headers INTERFACE)
target_include_directories(lib_rdkafka_headers SYSTEM INTERFACE ${lib_rdkafka_INCLUDE})

# DuckDB: duckdb.h and static archives, from DUCKDB_ROOT or where tools/deps.sh puts them.
if(NOT DUCKDB_ROOT)
  file(GLOB weir_duckdb_candidates LIST_DIRECTORIES true ${CMAKE_SOURCE_DIR}/third_party/duckdb)
  set(DUCKDB_ROOT ${weir_duckdb_candidates})
endif()
if(DUCKDB_ROOT AND EXISTS ${DUCKDB_ROOT}/duckdb.h)
  file(GLOB weir_duckdb_archives ${DUCKDB_ROOT}/*.a)
  add_library(lib_duckdb INTERFACE)
  target_include_directories(lib_duckdb SYSTEM INTERFACE ${DUCKDB_ROOT})
  target_link_libraries(lib_duckdb INTERFACE -Wl,--start-group ${weir_duckdb_archives} -Wl,--end-group stdc++ m dl
                                             Threads::Threads)
else()
  message(FATAL_ERROR "DuckDB not found: run tools/deps.sh, or give -DDUCKDB_ROOT=<folder with duckdb.h and *.a>")
endif()
