# SPDX-License-Identifier: Apache-2.0
#
#   tenon_add_program(<target> [AHEAD] <file.mlir or file.hlo>...)
#
# Wraps each StableHLO text as a string literal that the sources of <target> include:
#
#   struct classifier {
#     static constexpr std::string_view text =
#   #include "classifier.mlir.inc"
#         ;
#   };
#
# With AHEAD the programs are planned before the sources are compiled, which then may include
# <tenon/planned_programs.hpp> in place of <tenon/programs.hpp>. What plans them is TENON_PLANNER, or is built in the
# project, once. A project that is compiled for another machine sets TENON_PLANNER to the one of a project that is not.
#
# The wrapped file follows the text when it changes. Where a text has calls into LAPACK, as JAX writes them, what runs
# them is compiled once in the project and linked. As a script, or by hand:
#
#   cmake -D INPUT=classifier.mlir -D OUTPUT=classifier.mlir.inc -P tenon_add_program.cmake
#   (printf 'R"tenon('; cat classifier.mlir; printf ')tenon"') > classifier.mlir.inc

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ "${INPUT}" text)
  string(LENGTH "${text}" length)
  set(delimiter tenon)
  set(attempt 0)
  string(FIND "${text}" ")${delimiter}\"" found)
  while(NOT found EQUAL -1)
    math(EXPR attempt "${attempt} + 1")
    set(delimiter tenon${attempt})
    string(FIND "${text}" ")${delimiter}\"" found)
  endwhile()
  # The length spares the compiler a count of the characters, which constant evaluation limits to 256 K. Line 1 of the
  # text stays on the literal's first line, so that positions in messages are those of the file.
  file(WRITE "${OUTPUT}" "std::string_view(R\"${delimiter}(${text})${delimiter}\", ${length})\n")
  return()
endif()

set(TENON_ADD_PROGRAM_SCRIPT ${CMAKE_CURRENT_LIST_FILE} CACHE INTERNAL "")

# Links what runs calls into LAPACK, the headers tenon/lapack/<part>.hpp, each compiled once in the project.
set(TENON_LAPACK_PARTS factorization general orthogonal spectral tridiagonal CACHE INTERNAL "")
function(tenon_link_lapack target)
  foreach(part IN LISTS ARGN)
    if(NOT TARGET tenon_lapack_${part})
      set(source ${CMAKE_BINARY_DIR}/tenon_lapack/${part}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include <tenon/lapack/@part@.hpp>\n" @ONLY)
      add_library(tenon_lapack_${part} OBJECT EXCLUDE_FROM_ALL ${source})
      target_link_libraries(tenon_lapack_${part} PRIVATE tenon::tenon)
    endif()
    target_link_libraries(${target} PRIVATE tenon_lapack_${part})
  endforeach()
endfunction()

# Links those parts that run what the text calls.
function(tenon_link_called_lapack target program)
  if(NOT EXISTS ${program})
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${program})
  set(factorization "lapack_[sdcz](potrf|trsm|getrf)_ffi")
  set(general "lapack_[sdcz](geev|gees|gehrd)_ffi")
  set(orthogonal "lapack_[sdcz](geqrf|geqp3|orgqr|ungqr|ormqr|unmqr)_ffi"
                 "[@\"](Qr|ProductOfElementaryHouseholderReflectors)[\"(]")
  string(REPLACE ";" "|" orthogonal "${orthogonal}")
  set(spectral "lapack_[sdcz](syevd|heevd|gesdd|gesvd)_ffi")
  set(tridiagonal "lapack_[sdcz](sytrd|hetrd|gtsv)_ffi")
  foreach(part IN LISTS TENON_LAPACK_PARTS)
    file(STRINGS ${program} calls REGEX "${${part}}" LIMIT_COUNT 1)
    if(calls)
      tenon_link_lapack(${target} ${part})
    endif()
  endforeach()
endfunction()

# What plans programs ahead, built for the machine that compiles. It holds no vectors, whatever the flags are.
set(TENON_PLANNER "" CACHE FILEPATH "The program tenon-plan of this machine; empty: it is built where it is asked for")
mark_as_advanced(TENON_PLANNER)
set(TENON_PLANNER_SOURCES ${CMAKE_CURRENT_LIST_DIR}/planner)
if(NOT EXISTS ${TENON_PLANNER_SOURCES})
  cmake_path(SET TENON_PLANNER_SOURCES NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../examples/tenon/planner)
endif()
set(TENON_PLANNER_SOURCES ${TENON_PLANNER_SOURCES} CACHE INTERNAL "")
function(tenon_find_planner result)
  if(TENON_PLANNER)
    if(NOT EXISTS ${TENON_PLANNER})
      message(FATAL_ERROR "tenon_add_program(... AHEAD ...): TENON_PLANNER is ${TENON_PLANNER}, which is not there")
    endif()
    set(${result} ${TENON_PLANNER} PARENT_SCOPE)
    return()
  endif()
  if(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "tenon_add_program(... AHEAD ...): the programs are for another machine: TENON_PLANNER says where "
                        "the tenon-plan of this one is, the target tenon_planner of a project that is compiled for it")
  endif()
  if(NOT TARGET tenon_planner)
    add_executable(tenon_planner EXCLUDE_FROM_ALL ${TENON_PLANNER_SOURCES}/plan.cpp ${TENON_PLANNER_SOURCES}/print.cpp)
    set_target_properties(tenon_planner PROPERTIES OUTPUT_NAME tenon-plan RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_compile_features(tenon_planner PRIVATE cxx_std_20)
    target_compile_definitions(tenon_planner PRIVATE HWY_COMPILE_ONLY_SCALAR)
    target_compile_options(tenon_planner PRIVATE -O0 -fno-fast-math -ffp-contract=off)
    target_include_directories(tenon_planner PRIVATE $<TARGET_PROPERTY:tenon::tenon,INTERFACE_INCLUDE_DIRECTORIES>)
    target_include_directories(
      tenon_planner SYSTEM PRIVATE $<TARGET_PROPERTY:tenon::dependencies,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
  set(${result} tenon_planner PARENT_SCOPE)
endfunction()

function(tenon_add_program target)
  cmake_parse_arguments(PARSE_ARGV 1 how "AHEAD" "" "")
  if(how_AHEAD)
    tenon_find_planner(planner)
  endif()
  foreach(program IN LISTS how_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH program BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET program FILENAME name)
    get_source_file_property(is_generated ${program} GENERATED)
    if(NOT EXISTS ${program} AND NOT is_generated)
      message(FATAL_ERROR "tenon_add_program(${target} ...): there is no ${program}")
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_programs)
    if(how_AHEAD)
      file(MAKE_DIRECTORY ${folder})
      add_custom_command(
        OUTPUT ${folder}/${name}.inc
        COMMAND ${planner} ${program} ${folder}/${name}.inc
        DEPENDS ${program} ${planner}
        COMMENT "Planning ${name}"
        VERBATIM)
    else()
      add_custom_command(
        OUTPUT ${folder}/${name}.inc
        COMMAND ${CMAKE_COMMAND} -D INPUT=${program} -D OUTPUT=${folder}/${name}.inc -P ${TENON_ADD_PROGRAM_SCRIPT}
        DEPENDS ${program} ${TENON_ADD_PROGRAM_SCRIPT}
        COMMENT "Wrapping ${name}"
        VERBATIM)
    endif()
    target_sources(${target} PRIVATE ${folder}/${name}.inc)
    tenon_link_called_lapack(${target} ${program})
    target_include_directories(${target} PRIVATE ${folder})
  endforeach()
endfunction()
