// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/passes/rewrites.hpp>

#include <string>

// Prints a simplified program and its plans, for every machine, as what a struct has in place of the text:
//
//   struct model {
//     static constexpr std::string_view text =
//   #include "model.mlir.inc"
//         ;
//   };
//
// `source` and `function` say what it takes and gives. False: it could not be planned.
bool print_planned(const tenon::ir::graph& source, const tenon::ir::graph_function& function,
                   const tenon::ir::graph& simplified, const int (&applied)[tenon::passes::all_rewrites::size],
                   std::string& to);
