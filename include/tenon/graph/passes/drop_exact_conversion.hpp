// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// Whether each number of one type is a number of the other, which tells all of them apart.
constexpr bool holds_exactly(dtype wide, dtype narrow) {
  if (is_complex(wide) || is_complex(narrow)) return false;
  if (is_boolean(narrow) || wide == narrow) return true;
  const auto is_number = [](dtype type) {
    return is_integer(type) || (is_float(type) && format_of(type).has_infinity());
  };
  if (!is_number(wide) || !is_number(narrow)) return false;
  const bool has_sign = !is_unsigned_integer(narrow);
  const int bits = num_bits(narrow) - (has_sign ? 1 : 0);
  if (is_integer(narrow)) {
    if (is_float(wide)) return format_of(wide).mantissa_bits + 1 >= bits && format_of(wide).bias >= bits;
    if (has_sign && is_unsigned_integer(wide)) return false;
    return num_bits(wide) - (is_unsigned_integer(wide) ? 0 : 1) >= bits;
  }
  if (!is_float(wide)) return false;
  const auto a = format_of(wide), b = format_of(narrow);
  // A subnormal of the narrow type is at least 2^(1 - bias - mantissa_bits).
  return a.mantissa_bits >= b.mantissa_bits && a.bias - b.bias >= 0 &&
         a.bias + a.mantissa_bits >= b.bias + b.mantissa_bits;
}

// convert(convert(x: A, B), C) = convert(x, C) where B holds each number of A and C is A, a float, or made of an
// integer; convert(convert(x: A, B), A) = x.
struct drop_exact_conversion : rewrite_pattern {
  static constexpr std::string_view name = "drop_exact_conversion";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return facts_of(kind).converts; }
  constexpr bool matches() const {
    if (!at.producer(0, at.node.kind) || at.node.word_count != 0) return false;
    const tensor_type &source = at.to.type_of_value(converted()), &middle = at.type(0), &result = at.result();
    if (!is_dense_tensor(source) || !is_dense_tensor(middle) || !is_dense_tensor(result)) return false;
    return holds_exactly(middle.element, source.element) &&
           (result.element == source.element || is_float(result.element) || !is_float(source.element));
  }
  constexpr int rewrite() const {
    if (at.to.type_of_value(converted()) == at.result()) return converted();
    const int operand = converted();
    return at.writer().append(at.node.kind, {&operand, 1}, at.result());
  }

 private:
  constexpr int converted() const { return at.to.operands_of(*at.producer(0, at.node.kind))[0]; }
};

}  // namespace tenon::passes
