// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/decoded_constants.hpp>
#include <tenon/text/literal.hpp>

namespace tenon::execution {

// Writes the first `count` elements of a literal in the machine's own form. False: the text is not well formed.
struct text_literals {
  template <dtype Known = dtype::none>
  static constexpr bool decode(const graph& g, const graph_literal& literal, const tensor_type& type, index_t count,
                               unsigned char* to) {
    const int parts = is_complex(type.element) ? 2 : 1, bytes = int(storage_bytes(type.element)) / parts;
    if (count == 0) return true;
    if (literal.where == graph_literal::place::words) {
      for (index_t i = 0; i < count * parts; ++i)
        store_bits(to + i * bytes, g.words.data[literal.first + (literal.size == parts ? i % parts : i)], bytes);
      return true;
    }
    text::literal_reader<Known> reader(g.text, literal.first, literal.size, type, text::notation_of(literal));
    const bool well_formed = reader.decode([&](index_t element, int part, std::uint64_t bits) {
      if (element < count) store_bits(to + (element * parts + part) * bytes, index_t(bits), bytes);
    });
    for (index_t i = parts * bytes; well_formed && reader.is_splat() && i < count * parts * bytes; ++i)
      to[i] = to[i - parts * bytes];
    return well_formed;
  }
  static constexpr bool is_decimal(const graph& g, const graph_literal& literal) {
    return literal.where != graph_literal::place::words && g.text[std::size_t(literal.first)] != '"';
  }
};

// Writes all constants of a plan, plan::constant_bytes in all.
constexpr bool decode_constants(const graph& g, const plan& p, unsigned char* to) {
  for (const plan_constant& each : p.constants) {
    const graph_node& node = g.nodes.data[g.values.data[each.value].node];
    const graph_literal& literal = g.literals.data[g.words.data[node.words]];
    if (!text_literals::decode(g, literal, g.type_of_value(each.value), each.count,
                               to + p.places.data[each.value].offset))
      return false;
  }
  return true;
}

}  // namespace tenon::execution
