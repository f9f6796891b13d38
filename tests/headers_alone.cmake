# SPDX-License-Identifier: Apache-2.0
#
# tenon_headers_alone(RESULT HEADERS SOURCES): of HEADERS (below include/tenon), those that need a source of their own to
# be compiled alone. A source that begins with a header compiles it alone, and so the header that this one begins with,
# and so on. SOURCES are those of the tests that are built.

function(tenon_first_include result file)
  file(STRINGS ${file} directives REGEX "^[ \t]*#" LIMIT_COUNT 2)
  if(directives MATCHES "^#pragma once;(.*)")
    set(directives "${CMAKE_MATCH_1}")
  endif()
  set(first "")
  if(directives MATCHES "^#include <tenon/([a-z0-9_/-]+\\.hpp)>")
    set(first ${CMAKE_MATCH_1})
  endif()
  set(${result} "${first}" PARENT_SCOPE)
endfunction()

function(tenon_headers_alone result headers sources)
  foreach(header IN LISTS headers)
    set(file ${PROJECT_SOURCE_DIR}/include/tenon/${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    tenon_first_include(first_of_${header} ${file})
  endforeach()

  set(compiled)
  foreach(source IN LISTS sources)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    tenon_first_include(header ${source})
    while(header AND NOT header IN_LIST compiled)
      list(APPEND compiled ${header})
      set(header "${first_of_${header}}")
    endwhile()
  endforeach()

  list(REMOVE_ITEM headers ${compiled})
  set(begun)
  foreach(header IN LISTS headers)
    list(APPEND begun ${first_of_${header}})
  endforeach()
  list(REMOVE_ITEM headers ${begun})
  set(${result} ${headers} PARENT_SCOPE)
endfunction()
