// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/loaded_program.hpp>

#include <string_view>

namespace tenon {

// A loaded_program, which takes long to compile: compiled once, in programs.cpp.
class shared_program : public loaded_program {
 public:
  shared_program(std::string_view text, kernels::kernel_finder find, const load_options& options = {});
  shared_program(const ir::graph& program, kernels::kernel_finder find, const load_options& options = {});
  shared_program(shared_program&&) noexcept;
  shared_program& operator=(shared_program&&) = delete;
  ~shared_program();

  void operator()(std::initializer_list<argument_view> arguments, std::initializer_list<result_view> results,
                  const run_options& how = usual_options);
  void operator()(const void* const* arguments, void* const* results, const run_options& how = usual_options);
  void operator()(const void* const* arguments, void* const* results, void* arena,
                  const run_options& how = usual_options) const;
  void operator()(const void* const* arguments, const index_t* argument_sizes, void* const* results,
                  index_t* result_sizes, const run_options& how = usual_options);
};

}  // namespace tenon
