# SPDX-License-Identifier: Apache-2.0
#
# tenon_add_kernels(NAME): a static library that defines tenon::find_any_kernel: the code of all ops for all element
# types, which programs that are read at run time need. Compiled in parts, with the flags of the calling folder; ops next
# to each other by name, such as the reductions, are in different parts, which keeps each one small.

function(tenon_add_kernels name)
  set(parts 24)
  math(EXPR last "${parts} - 1")
  set(sources)
  set(declarations)
  set(calls)
  foreach(part RANGE ${last})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}/part_${part}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include <tenon/kernels/registry.hpp>

namespace tenon::compiled_kernels {
core::kernel part_@part@(const planning::kernel_key& key) {
  return kernels::find_kernel<@part@, @parts@>(key);
}
}  // namespace tenon::compiled_kernels
]])
    list(APPEND sources ${source})
    string(APPEND declarations "core::kernel part_${part}(const planning::kernel_key&);\n")
    string(APPEND calls "  if (const core::kernel found = compiled_kernels::part_${part}(key)) return found;\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}/all.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include <tenon/kernels/all.hpp>

namespace tenon::compiled_kernels {
@declarations@}  // namespace tenon::compiled_kernels

tenon::core::kernel tenon::find_any_kernel(const planning::kernel_key& key) {
@calls@  return nullptr;
}
]])
  add_library(${name} STATIC ${sources} ${source})
  target_link_libraries(${name} PUBLIC tenon::tenon)
endfunction()
