// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#add
struct add {
  static constexpr std::string_view name = "add";
  static constexpr bool associative = true, commutative = true;

  static constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) {
    rule("add_i1", "lhs: tensor or quantized tensor", rule.is(lhs, kinds::any | kinds::quantized));
    rule("add_i2", "rhs: tensor or quantized tensor", rule.is(rhs, kinds::any | kinds::quantized));
    if (!lhs.is_quantized() && !rhs.is_quantized()) {
      rule("add_c1", "type(lhs) = type(rhs) = type(result)", lhs == rhs);
      return rule.result("add_c1", "type(lhs) = type(rhs) = type(result)", lhs);
    }
    return lhs;
  }

  // Booleans: logical or. Integers wrap around. Floats: IEEE-754 addition.
  template <class T>
  static constexpr T element(T lhs, T rhs) {
    if constexpr (std::same_as<T, bool>) return lhs || rhs;
    else return wrap::add(lhs, rhs);
  }

  template <class D, class V>
  static V lanes(D, V lhs, V rhs) {
    return hn::Add(lhs, rhs);
  }
};

}  // namespace tenon::ops

namespace tenon {

template <class Lhs, class Rhs>
constexpr auto add(Lhs&& lhs, Rhs&& rhs) {
  return apply_elementwise<ops::add{}>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}

}  // namespace tenon
