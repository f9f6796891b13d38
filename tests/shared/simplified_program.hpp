// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/owned.hpp>

namespace tenon {

// Compiled once for all tests, in programs.cpp: the function that is run, simplified up to `most_nodes`; its form
// without bounds; and its plan.
owned_graph simplified_program(const graph& program, int most_nodes = 1000);
owned_graph static_program(const graph& simplified, bounded_refusal& refusal);
owned_plan planned_program(const graph& simplified);

}  // namespace tenon
