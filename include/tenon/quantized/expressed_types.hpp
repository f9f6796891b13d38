// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/quantized/integer_product.hpp>

namespace tenon::passes {

// Quantized arithmetic, as the specification defines it: the operands are dequantized, the op works on the expressed
// types, and its result is quantized. Ops that only move elements, those that convert, and sums of products that are
// integers stay as they are.
// @post no other node computes on quantized values
// https://openxla.org/stablehlo/spec#quantization-computations
struct expressed_types {
  const graph& g;

  constexpr bool converts(const graph_node& node) const {
    const op_facts facts = facts_of(node.kind);
    if (!(facts.elementwise || facts.dequantizes)) return false;
    if (integer_product product; integer_product::find(g, node, product) && stores_plain_numbers(g)) return false;
    for (int value : g.operands_of(node))
      if (g.type_of_value(value).is_quantized()) return true;
    for (int i = 0; i < node.result_count; ++i)
      if (g.type_of_value(node.results + i).is_quantized()) return true;
    return false;
  }
  constexpr tensor_type of_value(int value) const { return g.type_of_value(value); }
  // @pre converts(node)
  constexpr tensor_type of_node(const graph_node&, int value) const {
    const tensor_type& type = g.type_of_value(value);
    return type.is_quantized() ? type.with_element(g.quantization_of(type).expressed) : type;
  }
};

}  // namespace tenon::passes
