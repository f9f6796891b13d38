// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/workers.hpp>
#include <tenon/graph/ir/graph.hpp>

#include <cstdint>

namespace tenon {

// Runs an op that the library does not know: what the front end let through as foreign.
using foreign_kernel = void (*)(const void* context, const ir::graph& g, const ir::graph_node& node,
                                const core::evaluation& e);

// Where and by whom a program is run.
struct run_options {
  process_context* process = nullptr;  // the place in a grid of processes; none: the program runs by itself
  tenon::workers workers;              // who does the work; inline if nobody says
  foreign_kernel foreign = nullptr;    // runs the ops that the parser let through as foreign
  const void* foreign_context = nullptr;
  std::uint64_t seed = 0;  // of `rng`: runs with the same seed give the same numbers
};
// By itself, inline. A constant, so that no call has to write them down.
inline constexpr run_options usual_options{};

}  // namespace tenon
