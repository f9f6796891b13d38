// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/format/read_number.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>

#include <cstdint>
#include <optional>

namespace tenon::passes {

// The bits of a number in a format with infinities; none where it is subnormal there or has to be rounded.
constexpr std::optional<std::uint64_t> exact_bits(double number, const float_format& format) {
  const auto bits = bit_cast<std::uint64_t>(number);
  const std::uint64_t sign = bits >> 63 != 0 ? format.sign() : 0, mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  const int exponent = int(bits >> 52 & 0x7ff), dropped = 52 - format.mantissa_bits;
  if (exponent == 0 && mantissa == 0) return sign;
  if (exponent == 0x7ff && mantissa == 0) return sign | format.infinity();
  const int biased = exponent - 1023 + format.bias;
  if (exponent == 0 || exponent == 0x7ff || biased < 1 || biased >= (1 << format.exponent_bits) - 1) return {};
  if ((mantissa & ((std::uint64_t{1} << dropped) - 1)) != 0) return {};
  return sign | std::uint64_t(biased) << format.mantissa_bits | mantissa >> dropped;
}

// The number that a node broadcasts, or -1.
constexpr int broadcast_number(const graph& g, int value) {
  const int n = g.values.data[value].node;
  if (n < 0 || !facts_of(g.nodes.data[n].kind).moves || g.nodes.data[n].operand_count != 1) return -1;
  const int operand = g.operands_of(g.nodes.data[n])[0];
  const tensor_type& type = g.type_of_value(operand);
  return is_dense_tensor(type) && type.rank() == 0 ? operand : -1;
}

// The bits that all elements of a constant have, if it is one whose elements are written once, or a number that is
// broadcast: truth values, integers, f16, bf16, f32 and f64.
constexpr std::optional<std::uint64_t> splat_bits(const graph& g, int value) {
  const int repeated = broadcast_number(g, value);
  if (repeated >= 0 && g.type_of_value(repeated).element == g.type_of_value(value).element) value = repeated;
  const std::optional<graph_node> constant = constant_of(g, value);
  const tensor_type& type = g.type_of_value(value);
  if (!constant || !is_dense_tensor(type) || is_complex(type.element)) return {};
  const bool has_infinity = is_float(type.element) && format_of(type.element).has_infinity();
  if (!has_infinity && !is_integer(type.element) && !is_boolean(type.element)) return {};
  const graph_literal& literal = g.literals.data[g.words.data[constant->words]];
  if (!is_splat(g, literal, type)) return {};
  const std::uint64_t all = ~std::uint64_t{} >> (64 - num_bits(type.element));
  if (literal.where == graph_literal::place::words) return std::uint64_t(g.words.data[literal.first]) & all;
  if (literal.where != graph_literal::place::text) return {};
  const std::string_view text =
      core::without_spaces(g.text.substr(std::size_t(literal.first), std::size_t(literal.size)));
  if (is_boolean(type.element)) {
    const auto truth = core::read_number<bool>(text);
    return truth ? std::optional<std::uint64_t>(truth.value ? 1 : 0) : std::nullopt;
  }
  if (is_integer(type.element) || (text.size() > 2 && text[1] == 'x')) {
    const bool negative = !text.empty() && text[0] == '-';
    const core::whole_number whole = core::read_whole(negative ? text.substr(1) : text);
    if (whole.status != core::number_status::ok) return {};
    return (negative ? 0 - whole.value : whole.value) & all;
  }
  const auto number = core::read_number<double>(text);
  return number ? exact_bits(number.value, format_of(type.element)) : std::nullopt;
}

}  // namespace tenon::passes
