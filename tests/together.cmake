# SPDX-License-Identifier: Apache-2.0
#
# tenon_compile_together(RESULT PROGRAM SOURCES): for the tests SOURCES of PROGRAM, generated sources that include
# several of them, because reading headers takes most of the time of a small test. Headers come first, then each test in
# a namespace of its own, so that their names do not meet: around it, or within tenon::test where it uses that. A
# test with other directives than #include, or that names other namespaces at its beginning, is compiled by itself.

option(TENON_COMPILE_TESTS_TOGETHER "Compile small tests several at a time" ON)

function(tenon_write_together result program number headers tests)
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/together/${program}_${number}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "@headers@
@tests@")
  set(${result} ${source} PARENT_SCOPE)
endfunction()

function(tenon_compile_together result program sources)
  set(most_bytes 24000)
  # Those of gradients/ and xla/ take long by themselves. Names that the others use without a namespace are in several, once the
  # headers of the other tests are there; the random programs share a function.
  set(names_met text/hlo/parser.cpp graph/plan/group_writer.cpp kernels/group/group_tiles.cpp kernels/lanes/lane_interpreter.cpp
      run/random_programs.cpp run/compiled_random_programs.cpp)
  set(compiled)
  set(count 0)
  set(bytes 0)
  set(headers)
  set(tests)
  foreach(test IN LISTS sources)
    cmake_path(ABSOLUTE_PATH test OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH folder)
    file(SIZE ${file} size)
    file(STRINGS ${file} includes REGEX "^#include")
    file(STRINGS ${file} others REGEX "^ *# *[a-hj-z]|\\.inc\"|^template <>|^namespace (std|doctest|tenon( |::[^t]))")
    file(STRINGS ${file} in_namespace REGEX "^namespace tenon::test {|[^:]test::")
    list(LENGTH in_namespace uses)
    if(in_namespace MATCHES "namespace tenon::test {" AND uses GREATER 1)
      list(APPEND others ${in_namespace})
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    if(others OR test IN_LIST names_met OR test MATCHES "^(gradients|xla)/" OR size GREATER most_bytes
       OR NOT TENON_COMPILE_TESTS_TOGETHER)
      list(APPEND compiled ${test})
      continue()
    endif()
    math(EXPR sum "${bytes} + ${size}")
    if(sum GREATER most_bytes)
      tenon_write_together(source ${program} ${count} "${headers}" "${tests}")
      list(APPEND compiled ${source})
      math(EXPR count "${count} + 1")
      set(sum ${size})
      set(headers)
      set(tests)
    endif()
    set(bytes ${sum})
    foreach(include IN LISTS includes)
      if(include MATCHES "\"(.*)\"")
        if(EXISTS ${folder}/${CMAKE_MATCH_1})
          set(include "#include \"${folder}/${CMAKE_MATCH_1}\"")
        endif()
      endif()
      list(APPEND headers "${include}")
    endforeach()
    string(MAKE_C_IDENTIFIER "test_${test}" space)
    if(in_namespace MATCHES "namespace tenon::test {")
      string(APPEND tests "
#define test test::${space}
#include \"${file}\"
#undef test
")
    else()
      string(APPEND tests "
namespace ${space} {
#include \"${file}\"
}
")
    endif()
  endforeach()
  if(tests)
    tenon_write_together(source ${program} ${count} "${headers}" "${tests}")
    list(APPEND compiled ${source})
  endif()
  set(${result} ${compiled} PARENT_SCOPE)
endfunction()
