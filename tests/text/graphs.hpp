// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/graph.hpp>

namespace tenon {

using namespace ir;

constexpr bool same_literal(const graph& a, const graph_literal& x, const graph& b, const graph_literal& y) {
  if (x.where != y.where || x.size != y.size) return false;
  for (int i = 0; i < x.size; ++i) {
    if (x.where == graph_literal::place::words && a.words.data[x.first + i] != b.words.data[y.first + i]) return false;
    if (x.where != graph_literal::place::words && a.text[std::size_t(x.first + i)] != b.text[std::size_t(y.first + i)])
      return false;
  }
  return true;
}

// The same program: everything but the positions in the text.
constexpr bool same_program(const graph& a, const graph& b) {
  graph_sizes sizes = a.sizes();
  // The text of an attribute may name types of its own.
  sizes.types = b.sizes().types;
  if (!(sizes == b.sizes())) return false;
  for (int i = 0; i < a.nodes.size; ++i) {
    const graph_node &x = a.nodes.data[i], &y = b.nodes.data[i];
    if (x.kind != y.kind || x.operand_count != y.operand_count || x.results != y.results ||
        x.result_count != y.result_count || x.word_count != y.word_count || x.region_count != y.region_count ||
        x.region != y.region)
      return false;
    for (int k = 0; k < x.operand_count; ++k)
      if (a.operands_of(x)[k] != b.operands_of(y)[k]) return false;
    for (int k = 0; k < x.region_count; ++k)
      if (a.regions_of(x)[k] != b.regions_of(y)[k]) return false;
    for (int k = 0; k < x.word_count; ++k)
      if (x.kind >= -1 && a.words.data[x.words + k] != b.words.data[y.words + k]) return false;
  }
  for (int i = 0; i < a.values.size; ++i)
    if (!(a.type_of_value(i) == b.type_of_value(i)) || a.values.data[i].node != b.values.data[i].node ||
        a.values.data[i].region != b.values.data[i].region)
      return false;
  for (int i = 0; i < a.regions.size; ++i) {
    const graph_region &x = a.regions.data[i], &y = b.regions.data[i];
    if (x.parent != y.parent || x.first != y.first || x.last != y.last || x.arguments != y.arguments ||
        x.argument_count != y.argument_count || x.yield_count != y.yield_count)
      return false;
    for (int k = 0; k < x.yield_count; ++k)
      if (a.yields_of(x)[k] != b.yields_of(y)[k]) return false;
  }
  for (int i = 0; i < a.functions.size; ++i) {
    const graph_function &x = a.functions.data[i], &y = b.functions.data[i];
    if (x.name != y.name || x.region != y.region || x.is_public != y.is_public) return false;
  }
  for (int i = 0; i < a.literals.size; ++i)
    if (!same_literal(a, a.literals.data[i], b, b.literals.data[i])) return false;
  for (int i = 0; i < a.characters.size; ++i)
    if (a.characters.data[i] != b.characters.data[i]) return false;
  for (int i = 0; i < a.scales.size; ++i)
    if (a.scales.data[i] != b.scales.data[i] || a.zero_points.data[i] != b.zero_points.data[i]) return false;
  return true;
}

}  // namespace tenon
