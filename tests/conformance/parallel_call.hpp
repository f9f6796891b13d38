// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/graph.hpp>
#include <tenon/text/parse_options.hpp>

#include <string>
#include <string_view>
#include <vector>

// The attributes of interpreter.run_parallel, and its rules.
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

inline parallel_call parallel_call_of(const tenon::ir::graph& g, const tenon::ir::graph_node& node) {
  const tenon::index_t* const words = g.words.data + node.words;
  return read_parallel_call(g.text.substr(std::size_t(words[0]), std::size_t(words[1])));
}

inline bool is_parallel_call(const tenon::ir::graph& g, const tenon::ir::graph_node& node) {
  return tenon::is_foreign(node) && tenon::name_of_foreign(g, node) == "interpreter.run_parallel";
}

// What is wrong with the first run_parallel of a program that breaks its rules, or nothing.
inline std::string broken_parallel_call(const tenon::ir::graph& g) {
  for (const tenon::ir::graph_node& node : g.nodes) {
    if (!is_parallel_call(g, node)) continue;
    const parallel_call call = parallel_call_of(g, node);
    if (call.programs.empty() || call.programs[0].empty()) return "run_parallel: there are no programs";
    int arguments = 0, results = 0;
    for (const auto& row : call.programs) {
      if (row.size() != call.programs[0].size()) return "run_parallel: the rows of programs differ in length";
      for (const std::string& name : row) {
        const std::optional<tenon::ir::graph_function> function = g.find_function(name);
        if (!function) return "run_parallel: there is no function @" + name;
        arguments += g.regions[function->region].argument_count;
        results += g.regions[function->region].yield_count;
      }
    }
    if (arguments != node.operand_count) return "run_parallel: the programs take another number of operands";
    if (results != node.result_count) return "run_parallel: the programs give another number of results";
    for (const std::string& name : call.infeed) {
      const std::optional<tenon::ir::graph_function> function = g.find_function(name);
      if (!function) return "run_parallel: there is no function @" + name;
      const tenon::ir::graph_region& body = g.regions[function->region];
      if (body.argument_count != 0 || body.yield_count != 1 || !g.type_of_value(g.yields_of(body)[0]).is_tensor())
        return "run_parallel: the infeed function @" + name + " has to give one tensor";
    }
  }
  return {};
}

}  // namespace conformance
