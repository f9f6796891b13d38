// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/quantize.hpp>.
#pragma once

#include <tenon/graph/growing.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/run/loaded_program.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace tenon {

// The arguments of one run of a program.
using program_sample = std::vector<argument_view>;

namespace calibration {

using namespace detail;

// A program that gives values of f32 within it in place of its results.
class watched_program {
 public:
  // @pre `values` are those of the region of the graph's first function
  watched_program(const loaded_program& program, const ir::graph& g, const std::vector<int>& values)
      : program_(program.like(watching(g, values).get())), results_(values.size()) {
    if (!program_) fail("quantize_run: ", program_.error() ? program_.error().sentence : "the program cannot be run");
    for (std::size_t i = 0; i < values.size(); ++i) {
      results_[i].resize(std::size_t(g.type_of_value(values[i]).size()) + 1);
      pointers_.push_back(results_[i].data());
      sizes_.push_back(std::size_t(g.type_of_value(values[i]).size()));
    }
  }

  void run(const std::vector<const void*>& arguments) { program_(arguments.data(), pointers_.data()); }
  // Of the value with this number in the list.
  std::span<const f32> operator[](std::size_t i) const { return {results_[i].data(), sizes_[i]}; }

 private:
  loaded_program program_;
  std::vector<std::vector<f32>> results_;
  std::vector<void*> pointers_;
  std::vector<std::size_t> sizes_;

  static ir::growing_graph watching(const ir::graph& g, const std::vector<int>& values) {
    ir::growing_graph result(g);
    result.make_room({.operands = int(values.size())});
    ir::graph& to = result.get();
    const int region = to.functions[0].region, last = to.regions[region].last;
    ir::close_region(to, region, {values.data(), int(values.size())});
    to.regions[region].last = last;
    return result;
  }
};

// An f32 value: its elements if it depends on no argument, otherwise the range of its elements over all samples.
struct observed_value {
  bool is_real = false, is_constant = false;
  double low = 0, high = 0;
  int not_finite = -1;  // the first sample with an element that is no number
  std::vector<f32> elements;
};

inline bool is_real_tensor(const tensor_type& type) {
  return type.element == dtype::f32 && type.bounded == 0 && !type.is_quantized();
}

// Whether no argument, and nothing from outside of the program, has a part in the values of the first function.
inline std::vector<bool> constant_values(const ir::graph& g, std::span<const int> constant_arguments) {
  std::vector<bool> constant(std::size_t(g.values.size) + 1);
  const int region = g.functions[0].region;
  for (const int i : constant_arguments) constant[std::size_t(g.regions[region].arguments + i)] = true;
  for (const ir::graph_node& node : g.nodes) {
    const ir::op_facts& facts = ir::facts_of(node.kind);
    bool known = node.region == region && !facts.effects && !facts.impure && !facts.runs_targets &&
                 (node.region_count == 0 || ir::folds_by_one_op(g, node));
    for (const int operand : g.operands_of(node)) known = known && constant[std::size_t(operand)];
    for (int r = 0; r < node.result_count; ++r) constant[std::size_t(node.results + r)] = known;
  }
  return constant;
}

using argument_pointers = std::vector<std::vector<const void*>>;

// Runs a program on all samples and watches every value of its first function.
// @param percentile how many elements of each sample lie within a range, in hundredths
inline std::vector<observed_value> observe(const loaded_program& program, const argument_pointers& samples,
                                           std::span<const int> constant_arguments, double percentile) {
  const ir::graph& g = program.program();
  std::vector<observed_value> all(std::size_t(g.values.size) + 1);
  std::vector<int> watched;
  const std::vector<bool> constant = constant_values(g, constant_arguments);
  for (int v = 0; v < g.values.size; ++v) {
    observed_value& each = all[std::size_t(v)];
    each.is_constant = constant[std::size_t(v)];
    each.is_real = g.values[v].region == g.functions[0].region && is_real_tensor(g.type_of_value(v));
    if (each.is_real) watched.push_back(v);
  }
  watched_program floats(program, g, watched);
  std::vector<f32> sorted;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    floats.run(samples[s]);
    for (std::size_t i = 0; i < watched.size(); ++i) {
      observed_value& each = all[std::size_t(watched[i])];
      sorted.assign(floats[i].begin(), floats[i].end());
      if (each.is_constant && s == 0) each.elements = sorted;
      const bool is_finite = std::all_of(sorted.begin(), sorted.end(), [](f32 e) { return std::isfinite(e); });
      if (!is_finite && each.not_finite < 0) each.not_finite = int(s);
      if (!is_finite || sorted.empty()) continue;
      const double share = each.is_constant ? 0 : (100 - percentile) / 200;
      const auto left_out = std::ptrdiff_t(share * double(sorted.size() - 1));
      const auto low = sorted.begin() + left_out, high = sorted.end() - 1 - left_out;
      std::nth_element(sorted.begin(), low, sorted.end());
      each.low = std::min(each.low, double(*low));
      std::nth_element(sorted.begin(), high, sorted.end());
      each.high = std::max(each.high, double(*high));
    }
  }
  return all;
}

}  // namespace calibration

}  // namespace tenon
