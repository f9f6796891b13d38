// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon::execution {

// How much code of its own a compiled program may get, in pieces: an op that is called is one piece, a fused group one
// for each of its ops. A piece costs 4 to 15 ms of compile time. A program that wants another budget says so:
//
//   struct model {
//     static constexpr std::string_view text = "...";
//     static constexpr int writing_budget = 2000;
//   };
// Without, it is the larger one for programs that spend most of their time in fused groups.
inline constexpr int usual_writing_budget = 400, writing_budget_of_groups = 1600;

// @return the budget that a program says; -1: none
template <class Program>
constexpr int writing_budget() {
  if constexpr (requires { Program::writing_budget; })
    return Program::writing_budget;
  else
    return -1;
}

constexpr int pieces_of_step(const plan_step& step) { return step.instruction_count + (step.has_op() ? 1 : 0); }

// About how long groups take that are not written out, and how long ops do, in picoseconds.
struct estimated_time {
  double groups = 0, ops = 0;

  constexpr void add(const graph& g, const plan_step& step) {
    constexpr double of_instruction = 20000, of_element = 100, of_product = 20, of_moved = 300;
    groups += step.instruction_count * (of_instruction + of_element * double(step.count));
    if (!step.has_op()) return;
    const graph_node& node = g.nodes.data[step.node];
    const auto size = [&](int value) { return double(g.type_of_value(value).size()); };
    double moved = 0;
    for (const int value : g.operands_of(node)) moved += size(value);
    for (int r = 0; r < node.result_count; ++r) moved += size(node.results + r);
    ops += of_moved * moved;
    // m x k times k x n is m k n products, the root of the sizes of all three.
    if (node.operand_count == 2 && node.result_count == 1 && node.region_count == 0)
      ops += of_product * root(size(g.operands_of(node)[0]) * size(g.operands_of(node)[1]) * size(node.results));
  }

 private:
  // Newton's method, from above.
  static constexpr double root(double x) {
    if (x < 1) return x;
    double y = x;
    for (double next = (y + x / y) / 2; next < y * (1 - 1e-3); next = (y + x / y) / 2) y = next;
    return y;
  }
};

// Chooses the steps whose code is written out: first those of regions, which run for each iteration of a loop or each
// element, as far as the budget goes; then those of the program itself, all of them, or else the groups of the
// most elements, if groups take most of the time.
// @post chosen[s] says it of step s
// @return whether the program itself is written out, and with it all of its regions
constexpr bool choose_steps_to_write_out(const graph& g, const plan& p, int wanted_budget, bool* chosen) {
  const plan_block& program = p.blocks.data[p.main_block];
  estimated_time time;
  for (int s = program.first_step; s < program.last_step; ++s) time.add(g, p.steps.data[s]);
  const bool mostly_groups = time.groups > time.ops;
  int budget = wanted_budget >= 0 ? wanted_budget : mostly_groups ? writing_budget_of_groups : usual_writing_budget;
  bool all_regions = true;
  for (int b = 0; b < p.blocks.size; ++b) {
    if (b == p.main_block) continue;
    const plan_block& block = p.blocks.data[b];
    int pieces = 0;
    for (int s = block.first_step; s < block.last_step; ++s) pieces += pieces_of_step(p.steps.data[s]);
    all_regions = all_regions && pieces <= budget;
    if (pieces > budget) continue;
    budget -= pieces;
    for (int s = block.first_step; s < block.last_step; ++s) chosen[s] = true;
  }
  int pieces = 0;
  for (int s = program.first_step; s < program.last_step; ++s) pieces += pieces_of_step(p.steps.data[s]);
  const bool is_written_out = all_regions && pieces <= budget;
  for (int s = program.first_step; s < program.last_step; ++s) {
    // A step with regions passes its budget on to them.
    bool runs_regions = false;
    for (int b = 0; b < p.steps.data[s].block_count; ++b) {
      const plan_block& inner = p.blocks.data[p.block_references.data[p.steps.data[s].first_block + b]];
      for (int i = inner.first_step; i < inner.last_step; ++i) runs_regions = runs_regions || chosen[i];
    }
    chosen[s] = is_written_out || runs_regions;
  }
  for (index_t count = index_t(1) << 40; !is_written_out && mostly_groups && count > 0; count /= 2)
    for (int s = program.first_step; s < program.last_step; ++s) {
      const plan_step& step = p.steps.data[s];
      if (chosen[s] || step.has_op() || step.count < count || pieces_of_step(step) > budget) continue;
      chosen[s] = true;
      budget -= pieces_of_step(step);
    }
  return is_written_out;
}

}  // namespace tenon::execution
