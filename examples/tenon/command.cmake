# SPDX-License-Identifier: Apache-2.0
#
# The command tenon, a source for each of its commands. It reads its options with CLI11 and .npz files with libzip.

find_package(CLI11 2 CONFIG QUIET)
find_path(LIBZIP_INCLUDE zip.h)
find_library(LIBZIP_LIBRARY zip)
mark_as_advanced(LIBZIP_INCLUDE LIBZIP_LIBRARY)
if(NOT TARGET CLI11::CLI11 OR NOT LIBZIP_INCLUDE OR NOT LIBZIP_LIBRARY)
  message(STATUS "tenon: the command tenon is left out: it needs CLI11 and libzip (libcli11-dev, libzip-dev)")
  return()
endif()

# The library has its name already; --target tenon builds it all the same.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(tenon_command ${sources})
set_target_properties(tenon_command PROPERTIES OUTPUT_NAME tenon)
target_link_libraries(tenon_command PRIVATE tenon::tenon tenon_warnings tenon_kernels Threads::Threads CLI11::CLI11
                                            ${LIBZIP_LIBRARY})
tenon_link_lapack(tenon_command ${TENON_LAPACK_PARTS})
# The command carries the scripts by which Python reads ONNX.
tenon_add_program(tenon_command onnx/to_stablehlo.py onnx/operators.py)
target_include_directories(tenon_command SYSTEM PRIVATE ${LIBZIP_INCLUDE})
set(folders ${PROJECT_SOURCE_DIR}/include $<TARGET_PROPERTY:tenon::dependencies,INTERFACE_INCLUDE_DIRECTORIES>
            $<TARGET_GENEX_EVAL:tenon_command,$<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>>)
set_source_files_properties(tenon/compiler.cpp PROPERTIES COMPILE_DEFINITIONS "TENON_INCLUDE_FOLDERS=\"$<JOIN:${folders},|>\"")
set_source_files_properties(tenon/main.cpp PROPERTIES COMPILE_DEFINITIONS TENON_VERSION="${PROJECT_VERSION}")
# Its second name is one command with all options, as it was before there were several.
set(second_name ${CMAKE_CURRENT_BINARY_DIR}/tenon-run)
add_custom_command(
  TARGET tenon_command POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -f ${second_name}
  COMMAND ${CMAKE_COMMAND} -E create_hardlink $<TARGET_FILE:tenon_command> ${second_name})
if(TENON_TEST_LANES_ONLY)
  set_target_properties(tenon_command PROPERTIES EXCLUDE_FROM_ALL ON)
  return()
endif()
add_test(NAME examples/tenon-run COMMAND bash ${PROJECT_SOURCE_DIR}/tests/tenon/command_line.sh ${second_name})
add_test(NAME examples/tenon COMMAND bash ${PROJECT_SOURCE_DIR}/tests/tenon/build.sh $<TARGET_FILE:tenon_command>
                                     ${CMAKE_CXX_COMPILER})
add_test(NAME examples/from_tflite COMMAND bash ${PROJECT_SOURCE_DIR}/tests/tenon/from_tflite.sh ${second_name})
add_test(NAME examples/emit_c COMMAND bash ${PROJECT_SOURCE_DIR}/tests/tenon/emit_c.sh $<TARGET_FILE:tenon_command>)
add_test(NAME examples/quantize COMMAND bash ${PROJECT_SOURCE_DIR}/tests/tenon/quantize.sh $<TARGET_FILE:tenon_command>)
add_test(NAME examples/onnx COMMAND bash ${PROJECT_SOURCE_DIR}/tests/tenon/onnx.sh $<TARGET_FILE:tenon_command>
                                    ${CMAKE_CXX_COMPILER})
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME examples/torch COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/torch.py
                                       $<TARGET_FILE:tenon_command>)
endif()
set_tests_properties(examples/tenon PROPERTIES TIMEOUT 900)
install(TARGETS tenon_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  if(EXISTS \"\${folder}/tenon\")
    file(CREATE_LINK \"\${folder}/tenon\" \"\${folder}/tenon-run\" COPY_ON_ERROR)
  endif()")
if(NOT CMAKE_CROSSCOMPILING)
  foreach(name tenon tenon-run)
    set(page ${CMAKE_CURRENT_BINARY_DIR}/${name}.1)
    set(completion ${CMAKE_CURRENT_BINARY_DIR}/completion/${name})
    add_custom_command(
      TARGET tenon_command POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/completion
      COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${name} --man > ${page}
      COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${name} --completion > ${completion})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
    install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
  endforeach()
endif()
