// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan/plan.hpp>

namespace tenon::execution {

// How much code of its own a compiled program may get, in pieces: an op that is called is one piece, a fused group one
// for each of its ops. A piece costs about 15 ms of compile time. A program that wants another budget says so:
//
//   struct model {
//     static constexpr std::string_view text = "...";
//     static constexpr int writing_budget = 2000;
//   };
inline constexpr int usual_writing_budget = 400;

template <class Source>
constexpr int writing_budget() {
  if constexpr (requires { Source::writing_budget; })
    return Source::writing_budget;
  else
    return usual_writing_budget;
}

constexpr int pieces_of_step(const plan_step& step) { return step.instruction_count + (step.has_op() ? 1 : 0); }

// Chooses the steps whose code is written out: first those of regions, which run once for each turn of a loop or for
// each element, as far as the budget goes; then those of the program itself, all or none.
// @post chosen[s] says it of step s
// @return whether the program itself is written out, and with it all of its regions
constexpr bool choose_steps_to_write_out(const plan& p, int budget, bool* chosen) {
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
  const plan_block& program = p.blocks.data[p.main_block];
  int pieces = 0;
  for (int s = program.first_step; s < program.last_step; ++s) pieces += pieces_of_step(p.steps.data[s]);
  const bool is_written_out = all_regions && pieces <= budget;
  for (int s = program.first_step; s < program.last_step; ++s) {
    // What runs regions passes its budget on to them.
    bool runs_regions = false;
    for (int b = 0; b < p.steps.data[s].block_count; ++b) {
      const plan_block& inner = p.blocks.data[p.block_references.data[p.steps.data[s].first_block + b]];
      for (int i = inner.first_step; i < inner.last_step; ++i) runs_regions = runs_regions || chosen[i];
    }
    chosen[s] = is_written_out || runs_regions;
  }
  return is_written_out;
}

}  // namespace tenon::execution
