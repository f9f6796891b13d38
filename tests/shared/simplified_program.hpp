// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/owned.hpp>

namespace tenon {

// Compiled once for all tests, in programs.cpp: the function that is run, simplified up to `most_nodes`; its form
// without bounds; and its plan.
passes::owned_graph simplified_program(const ir::graph& program, int most_nodes = 1000);
passes::owned_graph simplified_program(const ir::graph& program, passes::simplifying_progress& progress);
passes::owned_graph static_program(const ir::graph& simplified, passes::bounded_refusal& refusal);
passes::owned_plan planned_program(const ir::graph& simplified);

}  // namespace tenon
