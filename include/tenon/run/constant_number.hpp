// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/element.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/run/constants.hpp>

#include <array>
#include <type_traits>

namespace tenon::execution {

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
    return tenon::core::bit_cast<T>(bytes);
}();

}  // namespace tenon::execution
