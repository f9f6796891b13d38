// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/owned.hpp>

namespace tenon {

// The function that is run, simplified up to `most_nodes`. Compiled once for all tests, in programs.cpp.
owned_graph simplified_program(const graph& program, int most_nodes = 1000);

}  // namespace tenon
