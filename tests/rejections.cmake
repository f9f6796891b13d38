# SPDX-License-Identifier: Apache-2.0
#
# Programs that must not compile, and the messages about them, which take a minute of the processor per compiler: with
# the compiler at hand, or in the preset `compilers` with the others that are there.
set(TENON_TEST_COMPILERS ${CMAKE_CXX_COMPILER} CACHE STRING "Compilers that refuse programs with mistakes")

set(include_flags "-I;${PROJECT_SOURCE_DIR}/include")
foreach(target tenon::dependencies Eigen3::Eigen)
  if(TARGET ${target})
    set(folders $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    list(APPEND include_flags "$<$<BOOL:${folders}>:-idirafter;$<JOIN:${folders},;-idirafter;>>")
  endif()
endforeach()
file(GLOB rejects CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} rejects/*.cpp ${PROJECT_SOURCE_DIR}/examples/reject/*.cpp)

set(parsed_headers)
set(tests)
foreach(compiler IN LISTS TENON_TEST_COMPILERS)
  find_program(path_of_${compiler} ${compiler})
  mark_as_advanced(path_of_${compiler})
  if(NOT path_of_${compiler})
    message(STATUS "tenon: no programs with mistakes for ${compiler}, which is not there")
    continue()
  endif()

  # Programs begin with the headers, which are read as precompiled.
  cmake_path(GET compiler FILENAME name)
  set(parsed ${CMAKE_CURRENT_BINARY_DIR}/parsed/${name}/tenon.hpp)
  file(CONFIGURE OUTPUT ${parsed} CONTENT "#include <tenon/tenon.hpp>\n")
  add_custom_command(
    OUTPUT ${parsed}.gch
    COMMAND ${compiler} -std=c++20 "${include_flags}" -MD -MF ${parsed}.d -MT ${parsed}.gch -x c++-header ${parsed}
            -o ${parsed}.gch
    DEPENDS ${parsed} DEPFILE ${parsed}.d COMMAND_EXPAND_LISTS VERBATIM)
  list(APPEND parsed_headers ${parsed}.gch)

  # Clang 14 prints no texts of rules, which mistakes.sh knows.
  if(NOT name STREQUAL "clang++-14")
    foreach(reject IN LISTS rejects)
      string(REGEX REPLACE "^tests/|\\.cpp$" "" test ${reject})
      add_test(NAME ${test}/${name}
               COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/expect_rejection.sh ${PROJECT_SOURCE_DIR}/${reject} ${compiler}
                       -std=c++20 "${include_flags}" -include ${parsed} COMMAND_EXPAND_LISTS)
      list(APPEND tests ${test}/${name})
    endforeach()
  endif()
  add_test(NAME mistakes/${name}
           COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/mistakes.sh ${compiler} -std=c++20 "${include_flags}" -include ${parsed}
           COMMAND_EXPAND_LISTS)
  set_tests_properties(mistakes/${name} PROPERTIES TIMEOUT 1500 PROCESSORS 2)
  list(APPEND tests mistakes/${name})
endforeach()
add_custom_target(parsed_headers ALL DEPENDS ${parsed_headers})
if(NOT TENON_TEST_ONLY)
  set_tests_properties(${tests} PROPERTIES LABELS source)
endif()
