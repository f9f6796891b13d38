// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/planned/tables.hpp>
#include <tenon/run/compiled_plan.hpp>
#include <tenon/run/invoke.hpp>

namespace tenon {

namespace detail {
template <class Program>
concept has_plan = requires { typename Program::planned_ahead; };
}  // namespace detail

template <class Program>
class program;  // of a text that is not planned by tenon_add_program(target AHEAD model.mlir): <tenon/programs.hpp>

// A program of which `Program` holds what `tenon_add_program(target AHEAD model.mlir)` made of its text: the same code
// as that of the text, without parsing and planning it again.
template <class Program>
  requires detail::has_plan<Program>
class program<Program> : public execution::callable<program<Program>> {
 public:
  static constexpr bool gives_single_tensors = false, is_open = false;
  template <class... Arguments>
  static constexpr bool valid = true;

  // The simplified graph and its plan: code::graph(), code::plan().
  using code = execution::compiled_plan<execution::printed_plan<Program>>;
  // Bytes of working memory, known while compiling.
  static constexpr index_t arena_bytes = code::arena_bytes;
  // How many loop nests the elementwise and moving ops were fused into.
  static constexpr int fused_groups = code::fused_groups;

  // The tensors that it takes and gives.
  template <int I>
  using argument = any_tensor_of<code::argument_type(I)>;
  template <int I>
  using result = any_tensor_of<code::result_type(I)>;

  template <class... Arguments>
  using program_for = code;
  template <class... Arguments>
  using checked = code;
};

}  // namespace tenon
