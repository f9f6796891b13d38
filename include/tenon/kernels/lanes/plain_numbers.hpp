// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>

namespace tenon::kernels {

// Whether an op can be applied to elements of this type where they are variables. Narrow and complex ones stay in
// memory.
constexpr bool is_plain_number(dtype element) {
  return element == dtype::i1 || element == dtype::f32 || element == dtype::f64 ||
         (is_integer(element) && num_bits(element) >= 8);
}

// The element type of the lanes in which numbers of this type are computed: f32 for narrower floats, that of the parts
// for complex numbers.
constexpr dtype lane_type(dtype element) {
  if (is_complex(element)) return real_type(element);
  const bool is_narrow =
      is_float(element) && num_bits(element) <= 16 && format_of(element).specials != float_specials::power_of_two;
  return is_narrow ? dtype::f32 : element;
}

// The type that an elementwise op is chosen by.
constexpr dtype key_of_node(const graph& g, const graph_node& node) {
  const int by = tenon::ir::facts_of(node.kind).typed_by;
  return g.type_of_value(by >= 0 && by < node.operand_count ? g.operands_of(node)[by] : node.results).element;
}

}  // namespace tenon::kernels
