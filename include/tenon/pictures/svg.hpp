// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/explain.hpp>.
#pragma once

#include <tenon/graph/ir/computed_from.hpp>
#include <tenon/indexing/svg.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// A picture of what elements of a value need of values before it: the arguments of its function, or, with `within`,
// whatever stands before that node, such as the leaves of a fused group that begins there. Operands of which nothing is
// needed are left out.
inline std::string to_svg(const ir::graph& g, int value, int within = 0,
                          const std::vector<std::vector<index_t>>& chosen = {}) {
  const ir::computed_from reached(g, value, within);
  std::vector<std::string> names;
  std::vector<int> leaves;
  for (int v = 0; v < g.values.size; ++v) {
    const ir::graph_value& leaf = g.values.data[v];
    const bool is_leaf = leaf.node < within && v != value;
    if (!is_leaf || reached.maps(v).empty() || !g.type_of_value(v).is_tensor()) continue;
    leaves.push_back(v);
    names.push_back((leaf.node < 0 ? "argument " : "value ") + std::to_string(leaf.node < 0 ? leaf.index : v));
  }
  std::vector<indexing::read_panel<indexing::indexing_map>> operands;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    operands.push_back({names[i], g.type_of_value(leaves[i]).shape, {}});
    for (const auto& one : reached.maps(leaves[i])) operands.back().maps.push_back(one.value);
  }
  return indexing::to_svg<indexing::indexing_map>("result", g.type_of_value(value).shape, operands, chosen);
}

}  // namespace tenon
