// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>

#include <string_view>

namespace tenon::ir {

constexpr bool is_constant(const graph_node& node) { return facts_of(node.kind).is_constant; }

// Whether the node stands for the body of a function, and the name of that, which is its first attribute.
constexpr bool is_call(const graph_node& node) { return facts_of(node.kind).is_call; }
constexpr name_id callee_of(const graph& g, const graph_node& call) { return {int(g.words.data[call.words])}; }

// The constant that gives this value, if one does.
constexpr std::optional<graph_node> constant_of(const graph& g, int value) {
  const int n = g.values.data[value].node;
  return n >= 0 && is_constant(g.nodes.data[n]) ? std::optional(g.nodes.data[n]) : std::nullopt;
}

// Whether all elements of a constant are written as one.
constexpr bool is_splat(const graph& g, const graph_literal& literal, const tensor_type& type) {
  if (literal.where == graph_literal::place::words) return literal.size == (is_complex(type.element) ? 2 : 1);
  for (int i = literal.first; i < literal.first + literal.size; ++i) {
    const char c = g.text[std::size_t(i)];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c != '[' && c != '{' && c != '"';
  }
  return false;
}
// Whether a value is such a constant.
constexpr bool is_splat_constant(const graph& g, int value) {
  const std::optional<graph_node> constant = constant_of(g, value);
  return constant && is_splat(g, g.literals.data[g.words.data[constant->words]], g.type_of_value(value));
}

// The numbers of a type of which sums and products of two do not overflow; none of types that are no integers.
constexpr indexing::interval small_numbers_of(const tensor_type& type) {
  if (type.is_quantized()) return indexing::empty_interval;
  if (is_boolean(type.element)) return {0, 1};
  if (!is_integer(type.element)) return indexing::empty_interval;
  const bool has_sign = type.element < dtype::ui2;
  const int bits = num_bits(type.element) - (has_sign ? 1 : 0);
  const index_t end = index_t(1) << (bits < 30 ? bits : 30);
  return {has_sign ? -end : 0, end - 1};
}

// Appends the elements of a constant of integers in row-major order. False where they are many, or written in another
// way than as decimal numbers.
template <class Integers>
constexpr bool read_integers(const graph& g, const graph_literal& literal, const tensor_type& type, Integers& to) {
  constexpr index_t most_elements = 4096, most = index_t(1) << 30;
  const index_t count = type.size();
  if (count == 0 || count > most_elements || literal.where >= graph_literal::place::resource) return false;
  if (literal.where == graph_literal::place::words) {
    for (int i = 0; i < literal.size; ++i) to.push_back(g.words.data[literal.first + i]);
  } else {
    const std::string_view text = g.text.substr(std::size_t(literal.first), std::size_t(literal.size));
    for (std::size_t i = 0; i < text.size();) {
      const bool negative = text[i] == '-';
      const std::size_t first = i + (negative ? 1 : 0);
      index_t value = 0;
      for (i = first; i < text.size() && text[i] >= '0' && text[i] <= '9' && value <= most; ++i)
        value = 10 * value + (text[i] - '0');
      if (i > first)
        to.push_back(negative ? -value : value);
      else if (negative || std::string_view("[]{}, \n\t\r").find(text[i++]) == std::string_view::npos)
        return false;
    }
  }
  if (to.size() == 1) to.resize(std::size_t(count), to[0]);
  for (const index_t value : to)
    if (value < -most || value > most) return false;
  return index_t(to.size()) == count;
}

// The value of which this one is a view: root_of(reshape(x)) = root_of(x), and x for whatever else gives x.
constexpr int root_of(const graph& g, int value) {
  while (true) {
    const graph_value& seen = g.values.data[value];
    if (seen.node < 0 || !facts_of(g.nodes.data[seen.node].kind).is_view) return value;
    value = g.operands_of(g.nodes.data[seen.node])[seen.index];
  }
}

}  // namespace tenon::ir
