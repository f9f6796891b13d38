// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/ops/list.hpp>

namespace tenon::kernels {

// Whether the elements of a value are sums of multiples of their indices, because it is an iota under another shape,
// and whole numbers that have no end in between: then these are the multiples.
constexpr bool counted_value(const graph& g, int value, ints& multiples, int depth = 8) {
  const tensor_type& type = g.type_of_value(value);
  const int n = g.values.data[value].node;
  if (!type.is_tensor() || type.is_quantized() || type.bounded != 0 || n < 0 || depth == 0) return false;
  const bool is_wide = type.element == dtype::i32 || type.element == dtype::ui32 || type.element == dtype::i64 ||
                       type.element == dtype::ui64;
  if (!is_wide || type.size() > INT32_MAX) return false;
  const graph_node& node = g.nodes.data[n];
  multiples = ints::filled(type.rank(), 0);
  if (node.kind == kind_of_op<ops::iota>) {
    multiples.at[read_attributes<ops::iota>(g.words.data + node.words).iota_dimension] = 1;
    return true;
  }
  if (node.operand_count != 1) return false;
  const int operand = g.operands_of(node)[0];
  ints inner;
  if (node.kind == kind_of_op<ops::broadcast_in_dim>) {
    if (!counted_value(g, operand, inner, depth - 1)) return false;
    const ints dimensions = read_attributes<ops::broadcast_in_dim>(g.words.data + node.words).broadcast_dimensions;
    for (int i = 0; i < dimensions.size; ++i)
      if (g.type_of_value(operand).shape.at[i] != 1) multiples.at[dimensions.at[i]] = inner.at[i];
    return true;
  }
  if (!tenon::ir::facts_of(node.kind).is_view || g.type_of_value(operand).element != type.element) return false;
  if (!counted_value(g, operand, inner, depth - 1)) return false;
  // Numbers in order stay in order; otherwise dimensions of one element may come and go.
  const ints &from = g.type_of_value(operand).shape, &to = type.shape;
  const ints from_strides = strides_of(from), to_strides = strides_of(to);
  bool in_order = true;
  for (int i = 0; i < from.size; ++i) in_order = in_order && (from.at[i] == 1 || inner.at[i] == from_strides.at[i]);
  if (in_order) {
    multiples = to_strides;
    return true;
  }
  int i = 0;
  for (int j = 0; j < to.size; ++j) {
    if (to.at[j] == 1) continue;
    while (i < from.size && from.at[i] == 1) ++i;
    if (i == from.size || from.at[i] != to.at[j]) return false;
    multiples.at[j] = inner.at[i++];
  }
  return true;
}

}  // namespace tenon::kernels
