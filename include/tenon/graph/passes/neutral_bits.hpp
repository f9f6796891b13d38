// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/dtype.hpp>
#include <tenon/core/element.hpp>
#include <tenon/graph/ir/folded_rows.hpp>

#include <cstdint>

namespace tenon::passes {

// The number n of an element type for which op(n, x) = op(x, n) = x for every x, to the last bit; false if there is
// none, or none is known.
constexpr bool neutral_bits(neutral_element neutral, dtype element, index_t& bits) {
  const bool is_plain_float =
      element == dtype::f16 || element == dtype::bf16 || element == dtype::f32 || element == dtype::f64;
  const bool is_whole = is_integer(element) || is_boolean(element);
  if (!is_plain_float && !is_whole) return false;
  const int width = num_bits(element);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  switch (neutral) {
    case neutral_element::none:
      return false;
    case neutral_element::zero:
      // x + -0 is x for every x.
      bits = is_plain_float ? index_t(sign) : 0;
      return true;
    case neutral_element::one:
      bits = 1;
      if (is_plain_float) {
        const auto format = format_of(element);
        bits = index_t(std::uint64_t(format.bias) << format.mantissa_bits);
      }
      return true;
    case neutral_element::all_bits:
      bits = is_boolean(element) ? 1 : -1;
      return is_whole;
    case neutral_element::no_bits:
      bits = 0;
      return is_whole;
    case neutral_element::highest:
    case neutral_element::lowest:
      break;
  }
  const bool highest = neutral == neutral_element::highest;
  if (is_boolean(element)) {
    bits = highest ? 1 : 0;
  } else if (is_unsigned_integer(element)) {
    bits = highest ? index_t(~std::uint64_t{0} >> (64 - width)) : 0;
  } else if (is_whole) {
    bits = highest ? index_t(sign - 1) : -index_t(sign - 1) - 1;
  } else {
    const int mantissa = format_of(element).mantissa_bits;
    const std::uint64_t infinity = ((std::uint64_t{1} << (width - 1 - mantissa)) - 1) << mantissa;
    bits = index_t(highest ? infinity : infinity | sign);
  }
  return true;
}

// Facts of the op that the region of a node consists of, if that is a single associative one.
constexpr const op_facts& facts_of_body(const graph& g, const graph_node& node) {
  return tenon::ir::facts_of(body_of(g, node));
}

}  // namespace tenon::passes
