// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/compiled_region.hpp>
#include <tenon/kernels/region/region_loops.hpp>
#include <tenon/kernels/region/window_lanes.hpp>
#include <tenon/kernels/table.hpp>

namespace tenon::kernels {

// The loops that region R of a node has, as far as its op has use for them.
template <class Source, int Node, int Region>
constexpr compiled_region compiled_region_of() {
  using op = op_of_kind<Source::opened_graph.nodes.data[Node].kind>;
  using code = region_loops<Source, Region>;
  constexpr graph_node node = Source::opened_graph.nodes.data[Node];
  compiled_region result;
  if constexpr (code::is_supported()) {
    if constexpr (code::is_scalar()) result.apply = &code::apply;
    if constexpr (folds_axes<op> || folds_windows<op>) {
      if constexpr (code::combines(node.result_count) && node.result_count <= 4) {
        result.fold = &code::fold;
        if constexpr (folds_axes<op>) result.fold_rows = &code::fold_rows;
      }
      if constexpr (folds_windows<op>)
        if constexpr (window_lanes<Source, Node, Region>::is_supported())
          result.windows = &window_lanes<Source, Node, Region>::run;
    }
    if constexpr (folds_at_indices<op>)
      if constexpr (code::combines(1)) result.fold_at = &code::fold_at;
    if constexpr (requires(const op& self) { self.carries_one(); }) {
      constexpr op self = read_attributes<op>(Source::opened_graph.words.data + node.words);
      if constexpr (self.carries_one()) result.take_turns = &code::template take_turns<node.operand_count - 1>;
    }
  }
  return result;
}

// Whether the code of a node counts its operand `operand` instead of reading it.
template <class Source, int Node>
constexpr bool counts_operand(int operand) {
  constexpr const graph& g = Source::opened_graph;
  constexpr graph_node node = g.nodes.data[Node];
  if constexpr (node.kind >= 0 && node.region_count == 1 && node.operand_count > 0) {
    using op = op_of_kind<node.kind>;
    constexpr int region = g.region_references.data[node.regions];
    if constexpr (folds_windows<op>)
      if constexpr (region_lanes<Source, region>::is_supported())
        return operand < node.operand_count / 2 && window_lanes<Source, Node, region>::counts(operand);
  }
  return false;
}

}  // namespace tenon::kernels
