// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/graph/facts.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/run/constants.hpp>

#include <array>
#include <bit>
#include <type_traits>

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

// The value of a constant, or its first element.
template <class Source, int Value>
inline constexpr auto constant_number = [] {
  constexpr const graph& g = Source::opened_graph;
  using T = element_t<g.type_of_value(Value).element>;
  const graph_literal& literal = g.literals.data[g.words.data[g.nodes.data[g.values.data[Value].node].words]];
  std::array<unsigned char, sizeof(T)> bytes{};
  decode_literal(g, literal, g.type_of_value(Value), 1, bytes.data());
  if constexpr (std::is_same_v<T, bool>)
    return bytes[0] != 0;
  else
    return std::bit_cast<T>(bytes);
}();

}  // namespace tenon::detail
