// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>

namespace tenon::detail {

// Whether an op can be applied to elements of this type where they are variables. Narrow and complex ones stay in
// memory.
constexpr bool is_plain_number(dtype element) {
  return element == dtype::i1 || element == dtype::f32 || element == dtype::f64 ||
         (is_integer(element) && num_bits(element) >= 8);
}

// The type that an elementwise op is chosen by.
constexpr dtype key_of_node(const graph& g, const graph_node& node) {
  const int by = tenon::facts_of(node.kind).typed_by;
  return g.type_of_value(by >= 0 && by < node.operand_count ? g.operands_of(node)[by] : node.results).element;
}

}  // namespace tenon::detail
