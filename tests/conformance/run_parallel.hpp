// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parallel_call.hpp"
#include "program_checks.hpp"

#include <shared/shared_program.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/kernels/all.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

// interpreter.run_parallel: functions of the module that run as the processes of a grid, all at the same time.
namespace conformance {

// Loads a function of the module.
inline tenon::shared_program load_function(std::string_view module, const std::string& name) {
  tenon::load_options options;
  options.parsing.foreign_dialects = "check interpreter";
  options.foreign = &run_foreign;
  options.entry = name;
  tenon::shared_program program(module, &tenon::find_any_kernel, options);
  if (!program.has_entry()) tenon::fail("run_parallel: there is no function @", name);
  if (const tenon::load_error& error = program.error())
    tenon::fail("run_parallel: @", name, ": line ", error.line, ": ", error.label, ": ", error.sentence);
  return program;
}

// One queue for the whole grid: each infeed gets what the next function gives.
struct function_streams final : tenon::host_streams {
  std::string_view module;
  std::vector<std::string> names;
  std::size_t next = 0;

  void infeed(const tenon::process_id&, tenon::core::list<tenon::tensor_type> types, void* const* results) override {
    if (next == names.size()) tenon::fail("infeed: the queue is empty");
    tenon::shared_program program = load_function(module, names[next++]);
    if (program.result_count() != types.size) tenon::fail("infeed: another number of tensors is fed");
    for (int i = 0; i < types.size; ++i)
      if (!has_type(program.result_type(i), types[i])) tenon::fail("infeed: tensors of other types are fed");
    program(nullptr, results);
  }
  void outfeed(const tenon::process_id&, tenon::core::list<tenon::tensor_type>, const void* const*) override {}
};

// Runs a call that `broken_parallel_call` finds nothing wrong with.
inline void run_parallel(const parallel_call& call, std::string_view module, const tenon::core::evaluation& e) {
  const tenon::process_grid grid{int(call.programs.size()), int(call.programs[0].size())};
  std::deque<tenon::shared_program> programs;
  std::vector<const void* const*> arguments;
  std::vector<void* const*> results;
  int operand = 0, result = 0;
  for (const auto& row : call.programs) {
    for (const std::string& name : row) {
      programs.push_back(load_function(module, name));
      arguments.push_back(e.operands.data + operand);
      results.push_back(e.results.data + result);
      operand += programs.back().argument_count();
      result += programs.back().result_count();
    }
  }
  function_streams streams;
  streams.module = module;
  streams.names = call.infeed;
  tenon::simulated_grid processes(grid, &streams);
  processes.run([&](tenon::process_context& process) {
    const std::size_t at = std::size_t(tenon::flat_id(grid, process.id()));
    programs[at](arguments[at], results[at], {.process = &process, .workers = {}});
  });
}

}  // namespace conformance
