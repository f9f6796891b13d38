# SPDX-License-Identifier: Apache-2.0
#
# Every header compiles alone, in a source of its own or first in another header that does. Most of the time goes into
# the standard library and Highway, so where other tests run beside it, the headers are read after lanes.hpp, which
# includes those; in the preset `headers` after nothing.

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include/tenon
     ${PROJECT_SOURCE_DIR}/include/tenon/*.hpp)
set(first_included)
foreach(header IN LISTS headers)
  set(file ${PROJECT_SOURCE_DIR}/include/tenon/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} directives REGEX "^[ \t]*#" LIMIT_COUNT 2)
  if(directives MATCHES "^#pragma once;#include <tenon/([a-z0-9_/-]+\\.hpp)>")
    list(APPEND first_included ${CMAKE_MATCH_1})
  endif()
endforeach()

# tests/mpi/ compiles the one that needs an MPI library, and the tests of lapack/ each of its headers.
list(REMOVE_ITEM headers distributed/mpi.hpp lapack.hpp ${first_included})
if(NOT Boost_FOUND)
  list(REMOVE_ITEM headers tree.hpp weights.hpp)
endif()
if(NOT TENON_TEST_ONLY)
  list(FILTER headers EXCLUDE REGEX "^lapack/")
endif()

set(sources)
foreach(header IN LISTS headers)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <tenon/@header@>\n" @ONLY)
  list(APPEND sources ${source})
endforeach()
add_library(tests_headers OBJECT ${sources})
target_link_libraries(tests_headers PRIVATE tenon::tenon tenon_warnings $<TARGET_NAME_IF_EXISTS:Boost::headers>)
target_compile_options(tests_headers PRIVATE -O0)
if(NOT TENON_TEST_ONLY)
  target_precompile_headers(tests_headers PRIVATE <tenon/core/lanes.hpp>)
else()
  add_test(NAME headers COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target tests_headers)
endif()
