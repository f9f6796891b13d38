// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/graph/passes/constant_operands.hpp>
#include <tenon/graph/passes/rewrite.hpp>
#include <tenon/math/ieee.hpp>

#include <cstdint>

namespace tenon::passes {

// f(c, d) is a constant for floats c and d, where IEEE 754 says each bit of it: sums, differences, products, quotients
// and negated numbers in f32 and f64 that are no NaN.
struct folded_float : rewrite_pattern {
  static constexpr std::string_view name = "folded_float";

  static constexpr bool begins_at(int kind) {
    return is_one_of<ops::add, ops::subtract, ops::multiply, ops::divide, ops::negate>(kind);
  }
  constexpr explicit folded_float(const rewrite_site& site) : rewrite_pattern(site) {
    const dtype element = at.result().element;
    if ((element != dtype::f32 && element != dtype::f64) || !is_dense_tensor(at.result())) return;
    const auto lhs = splat_bits(at.to, at.operand(0));
    const auto rhs = lhs ? splat_bits(at.to, at.operand(at.node.operand_count - 1)) : lhs;
    if (!rhs) return;
    if (element == dtype::f32)
      fold(core::bit_cast<f32>(std::uint32_t(*lhs)), core::bit_cast<f32>(std::uint32_t(*rhs)));
    else
      fold(core::bit_cast<f64>(*lhs), core::bit_cast<f64>(*rhs));
  }
  constexpr bool matches() const { return is_known_; }
  constexpr int rewrite() const { return at.writer().append_constant(bits_, at.result()); }

 private:
  index_t bits_ = 0;
  bool is_known_ = false;

  template <class T>
  constexpr void fold(T a, T b) {
    const int kind = at.node.kind;
    const T result = is_one_of<ops::add>(kind)        ? ieee::add(a, b)
                     : is_one_of<ops::subtract>(kind) ? ieee::subtract(a, b)
                     : is_one_of<ops::multiply>(kind) ? ieee::multiply(a, b)
                     : is_one_of<ops::divide>(kind)   ? ieee::divide(a, b)
                                                      : ieee::negate(a);
    bits_ = index_t(ieee::to_bits(result));
    is_known_ = !ieee::is_nan(result);
  }
};

}  // namespace tenon::passes
