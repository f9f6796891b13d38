// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program_checks.hpp"

#include <tenon/distributed/simulated.hpp>
#include <tenon/kernels/all.hpp>
#include <tenon/run/loaded_program.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

// interpreter.run_parallel: functions of the module that run as the processes of a grid, all at the same time.
namespace conformance {

struct parallel_call {
  std::vector<std::vector<std::string>> programs;  // rows are replicas, columns are partitions
  std::vector<std::string> infeed;                 // who feeds the grid, in turn
};

// `programs = [[@f, @g], [@f, @g]], infeed = [@h]`, in either order.
inline parallel_call read_parallel_call(std::string_view text) {
  parallel_call call;
  const auto names_from = [&](std::size_t at, auto open_row, auto push) {
    int depth = 0;
    for (; at < text.size(); ++at) {
      if (text[at] == '[' && ++depth == 2) open_row();
      if (text[at] == ']' && --depth == 0) return;
      if (text[at] != '@') continue;
      const std::size_t last = text.find_first_of(" ,]\n", at);
      push(std::string(text.substr(at + 1, last - at - 1)));
      at = last - 1;
    }
  };
  if (const std::size_t at = text.find("programs"); at != text.npos)
    names_from(
        at, [&] { call.programs.emplace_back(); },
        [&](const std::string& name) {
          if (!call.programs.empty()) call.programs.back().push_back(name);
        });
  if (const std::size_t at = text.find("infeed"); at != text.npos && text.substr(at).find('=') != text.npos)
    names_from(text.find('=', at), [] {}, [&](const std::string& name) { call.infeed.push_back(name); });
  return call;
}

inline parallel_call parallel_call_of(const tenon::graph& g, const tenon::graph_node& node) {
  const tenon::index_t* const words = g.words.data + node.words;
  return read_parallel_call(g.text.substr(std::size_t(words[0]), std::size_t(words[1])));
}

inline bool is_parallel_call(const tenon::graph& g, const tenon::graph_node& node) {
  return tenon::is_foreign(node) && tenon::name_of_foreign(g, node) == "interpreter.run_parallel";
}

// What is wrong with the first run_parallel of a program that breaks its rules, or nothing.
inline std::string broken_parallel_call(const tenon::graph& g) {
  for (const tenon::graph_node& node : g.nodes) {
    if (!is_parallel_call(g, node)) continue;
    const parallel_call call = parallel_call_of(g, node);
    if (call.programs.empty() || call.programs[0].empty()) return "run_parallel: there are no programs";
    int arguments = 0, results = 0;
    for (const auto& row : call.programs) {
      if (row.size() != call.programs[0].size()) return "run_parallel: the rows of programs differ in length";
      for (const std::string& name : row) {
        const tenon::graph_function* const function = g.find_function(name);
        if (function == nullptr) return "run_parallel: there is no function @" + name;
        arguments += g.regions[function->region].argument_count;
        results += g.regions[function->region].yield_count;
      }
    }
    if (arguments != node.operand_count) return "run_parallel: the programs take another number of operands";
    if (results != node.result_count) return "run_parallel: the programs give another number of results";
    for (const std::string& name : call.infeed) {
      const tenon::graph_function* const function = g.find_function(name);
      if (function == nullptr) return "run_parallel: there is no function @" + name;
      const tenon::graph_region& body = g.regions[function->region];
      if (body.argument_count != 0 || body.yield_count != 1 || !g.type_of_value(g.yields_of(body)[0]).is_tensor())
        return "run_parallel: the infeed function @" + name + " has to give one tensor";
    }
  }
  return {};
}

// Loads a function of the module.
inline tenon::loaded_program load_function(std::string_view module, const std::string& name) {
  tenon::load_options options;
  options.parsing.foreign_dialects = "check interpreter";
  options.foreign = &run_foreign;
  options.entry = name;
  tenon::loaded_program program(module, &tenon::find_any_kernel, options);
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

  void infeed(const tenon::process_id&, tenon::list<tenon::tensor_type> types, void* const* results) override {
    if (next == names.size()) tenon::fail("infeed: the queue is empty");
    tenon::loaded_program program = load_function(module, names[next++]);
    if (program.result_count() != types.size) tenon::fail("infeed: another number of tensors is fed");
    for (int i = 0; i < types.size; ++i)
      if (!has_type(program.result_type(i), types[i])) tenon::fail("infeed: tensors of other types are fed");
    program(nullptr, results);
  }
  void outfeed(const tenon::process_id&, tenon::list<tenon::tensor_type>, const void* const*) override {}
};

// Runs a call that `broken_parallel_call` finds nothing wrong with.
inline void run_parallel(const parallel_call& call, std::string_view module, const tenon::evaluation& e) {
  const tenon::process_grid grid{int(call.programs.size()), int(call.programs[0].size())};
  std::deque<tenon::loaded_program> programs;
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
