# SPDX-License-Identifier: Apache-2.0
#
#   tenon_add_model(<target> <file.mlir or file.hlo> [WEIGHTS weights.npz] [NAME name] [TARGET machine] [FLAGS flag...])
#
# Compiles a model apart from the sources of <target>, which include <name>.h from C or <name>.hpp from C++ and call
# the function <name>; without NAME it is the file's. Arguments that WEIGHTS has by name are built in. The object is made anew when the model changes, with the compiler
# and flags of the calling folder and FLAGS. What does it is the command tenon: TENON_COMMAND, or the one of this project,
# or the one that is installed.

find_program(TENON_COMMAND tenon HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin ${CMAKE_CURRENT_LIST_DIR}/../../../../bin)
mark_as_advanced(TENON_COMMAND)

function(tenon_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 how "" "WEIGHTS;NAME;TARGET" "FLAGS")
  cmake_path(ABSOLUTE_PATH model BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  get_source_file_property(is_generated ${model} GENERATED)
  if(NOT EXISTS ${model} AND NOT is_generated)
    message(FATAL_ERROR "tenon_add_model(${target} ...): there is no ${model}")
  endif()
  set(command ${TENON_COMMAND})
  if(NOT command)
    if(NOT TARGET tenon_command)
      message(FATAL_ERROR "tenon_add_model(${target} ...): the command tenon was not found; TENON_COMMAND says where it is")
    endif()
    set(command $<TARGET_FILE:tenon_command>)
  endif()
  if(NOT how_NAME)
    cmake_path(GET model STEM how_NAME)
  endif()
  set(options --march none)
  if(how_TARGET)
    set(options --target ${how_TARGET})
  endif()
  if(how_WEIGHTS)
    cmake_path(ABSOLUTE_PATH how_WEIGHTS BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND options --weights ${how_WEIGHTS})
  endif()

  # Those that the target's own sources have, so that objects that include tenon go together.
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  if(NOT flags MATCHES "-DNDEBUG")
    string(PREPEND flags "-UNDEBUG ")
  endif()
  if(tenon_lacks_vectors AND NOT how_TARGET)
    list(APPEND how_FLAGS -msse4.2)
  endif()
  get_target_property(definitions tenon::tenon INTERFACE_COMPILE_DEFINITIONS)
  foreach(definition IN LISTS definitions)
    if(definition)
      list(APPEND how_FLAGS -D${definition})
    endif()
  endforeach()
  list(JOIN how_FLAGS " " more)
  set(folders $<TARGET_PROPERTY:tenon::tenon,INTERFACE_INCLUDE_DIRECTORIES>)

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_models)
  file(MAKE_DIRECTORY ${folder})
  set(written ${folder}/${how_NAME}.o ${folder}/${how_NAME}.h ${folder}/${how_NAME}.hpp)
  add_custom_command(
    OUTPUT ${written}
    COMMAND ${command} build ${model} --output ${folder}/${how_NAME} --compiler "${CMAKE_CXX_COMPILER}" ${options}
            --flags "${flags} ${more}" "$<$<BOOL:${folders}>:--include;$<JOIN:${folders},;--include;>>"
    DEPENDS ${model} ${how_WEIGHTS} ${command}
    COMMENT "Compiling ${how_NAME}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${folder}/${how_NAME}.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE ${written})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
