# SPDX-License-Identifier: Apache-2.0
#
#   tenon_add_program(<target> <file.mlir or file.hlo>...)
#
# Wraps each StableHLO text as a string literal that the sources of <target> include:
#
#   struct classifier {
#     static constexpr std::string_view text =
#   #include "classifier.mlir.inc"
#         ;
#   };
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

function(tenon_add_program target)
  foreach(program IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH program BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET program FILENAME name)
    get_source_file_property(is_generated ${program} GENERATED)
    if(NOT EXISTS ${program} AND NOT is_generated)
      message(FATAL_ERROR "tenon_add_program(${target} ...): there is no ${program}")
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_programs)
    add_custom_command(
      OUTPUT ${folder}/${name}.inc
      COMMAND ${CMAKE_COMMAND} -D INPUT=${program} -D OUTPUT=${folder}/${name}.inc -P ${TENON_ADD_PROGRAM_SCRIPT}
      DEPENDS ${program} ${TENON_ADD_PROGRAM_SCRIPT}
      COMMENT "Wrapping ${name}"
      VERBATIM)
    target_sources(${target} PRIVATE ${folder}/${name}.inc)
    tenon_link_called_lapack(${target} ${program})
    target_include_directories(${target} PRIVATE ${folder})
  endforeach()
endfunction()
