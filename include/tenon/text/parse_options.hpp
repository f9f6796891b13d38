// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/graph/ir/graph.hpp>

#include <string_view>

namespace tenon {

// The size of a dimension that the text leaves open.
inline constexpr index_t open_size = -1;
constexpr bool has_open_sizes(const tensor_type& type) {
  for (int d = 0; d < type.rank(); ++d)
    if (type.shape.at[d] == open_size) return true;
  return false;
}
constexpr bool has_open_types(const ir::graph& g) {
  for (const tensor_type& type : g.types)
    if (has_open_sizes(type)) return true;
  return false;
}

struct parse_options {
  // Dialects, parted by spaces, whose ops are kept without being understood ("check interpreter"). Ops of no dialect
  // named here and not of StableHLO are errors.
  std::string_view foreign_dialects;
  // Whether sizes may be open, as in tensor<?xf32>: `specialize` makes a program of such a graph.
  bool open_sizes = false;
  // Whether the arguments of main have these shapes, as one process has of them what its sharding says; results are
  // parts as well then. Otherwise arguments and results are whole, and equal in all processes.
  bool in_parts = false;
  core::list<ints> part_shapes = {};
};

// Ops of other dialects have kinds below -1: their name, and as words the part of the text that holds their attributes
// (first byte, size) and their literal (-1 if there is none).
constexpr int foreign_kind(int name) { return -2 - name; }
constexpr bool is_foreign(const ir::graph_node& node) { return node.kind < -1; }
constexpr std::string_view name_of_foreign(const ir::graph& g, const ir::graph_node& node) {
  return g.name_of(-2 - node.kind);
}

}  // namespace tenon
