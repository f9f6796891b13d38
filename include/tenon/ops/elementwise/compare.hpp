// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>
#include <tenon/ops/elementwise/order.hpp>

namespace tenon {

enum class comparison_direction { EQ, NE, GE, GT, LE, LT };
template <>
inline constexpr std::string_view core::enumerators<comparison_direction>[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};

enum class comparison_type { NOTYPE, FLOAT, TOTALORDER, SIGNED, UNSIGNED };
template <>
inline constexpr std::string_view core::enumerators<comparison_type>[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED",
                                                                          "UNSIGNED"};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#compare
struct compare {
  static constexpr std::string_view name = "compare";
  static constexpr op_notation notation = op_notation::compare;
  tenon::comparison_direction comparison_direction{};
  comparison_type compare_type = comparison_type::NOTYPE;  // NOTYPE: not written, the natural one is meant

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("comparison_direction", self.comparison_direction) && visit("compare_type", self.compare_type);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) const {
    check_kind(rule, "compare_i1", accepts::anything_or_quantized, lhs);
    check_kind(rule, "compare_i2", accepts::anything_or_quantized, rhs);
    const dtype element = rule.baseline(lhs);
    rule("compare_c1", "baseline_element_type(lhs) = baseline_element_type(rhs)", element == rule.baseline(rhs));
    rule("compare_c2", "shape(lhs) = shape(rhs) = shape(result)", lhs.shape == rhs.shape);
    rule.result_shape("compare_c2", "shape(lhs) = shape(rhs) = shape(result)", lhs.shape);
    rule("compare_c3",
         "compare_type = SIGNED for signed integers, UNSIGNED for unsigned integers and booleans, FLOAT or TOTALORDER "
         "for floats, FLOAT for complex numbers",
         suits(element));
    tensor_type result = type_of(dtype::i1, lhs.shape);
    result.bounded = lhs.bounded;
    return rule.result("compare_o1", "result: tensor of boolean type", result);
  }

  // Complex numbers are ordered by real, then imaginary part. TOTALORDER tells signed zeros apart and orders NaN too.
  template <class T>
  constexpr bool element(T lhs, T rhs) const {
    if constexpr (binary_float<T>) {
      if (compare_type == comparison_type::TOTALORDER)
        return compare_integers(total_order_key(lhs), total_order_key(rhs));
      return holds(ieee::equal(lhs, rhs), ieee::less(lhs, rhs), ieee::less(rhs, lhs));
    } else if constexpr (std::integral<T>) {
      return compare_integers(lhs, rhs);
    } else {
      return holds(ieee::equal(lhs.real, rhs.real) && ieee::equal(lhs.imag, rhs.imag), lexicographic_less(lhs, rhs),
                   lexicographic_less(rhs, lhs));
    }
  }

  // Gives a mask of D.
  template <class D, class V>
  auto lanes(D d, V lhs, V rhs) const {
    if constexpr (std::floating_point<hn::TFromD<D>>) {
      if (compare_type == comparison_type::TOTALORDER) {
        const hn::RebindToSigned<D> keys;
        return hn::RebindMask(d, compare_lanes(total_order_keys(keys, lhs), total_order_keys(keys, rhs)));
      }
    }
    return compare_lanes(lhs, rhs);
  }

  // Calls f with an op of this direction, unless zeros are told apart.
  template <class T, class F>
  void fix_attributes(F f) const {
    const auto fix = [&]<tenon::comparison_direction Direction>() { f(directed<Direction>{}); };
    if constexpr (std::floating_point<T>) {
      if (compare_type == comparison_type::TOTALORDER)
        f(*this);
      else
        with_direction(fix);
    } else {
      with_direction(fix);
    }
  }

  template <class D>
  hn::Mask<D> complex_lanes(D, complex_vector<D> lhs, complex_vector<D> rhs) const {
    const auto same_real = hn::Eq(lhs.real, rhs.real);
    const auto less = [&](const auto& a, const auto& b) HWY_ATTR {
      return hn::Or(hn::And(same_real, hn::Lt(a.imag, b.imag)), hn::AndNot(same_real, hn::Lt(a.real, b.real)));
    };
    const auto equal = hn::And(same_real, hn::Eq(lhs.imag, rhs.imag));
    switch (comparison_direction) {
      case tenon::comparison_direction::EQ:
        return equal;
      case tenon::comparison_direction::NE:
        return hn::Not(equal);
      case tenon::comparison_direction::GE:
        return hn::Or(less(rhs, lhs), equal);
      case tenon::comparison_direction::GT:
        return less(rhs, lhs);
      case tenon::comparison_direction::LE:
        return hn::Or(less(lhs, rhs), equal);
      default:
        return less(lhs, rhs);
    }
  }

 private:
  constexpr bool suits(dtype element) const {
    if (compare_type == comparison_type::NOTYPE) return true;
    if (is_signed_integer(element)) return compare_type == comparison_type::SIGNED;
    if (is_unsigned_integer(element) || is_boolean(element)) return compare_type == comparison_type::UNSIGNED;
    if (is_float(element)) return compare_type == comparison_type::FLOAT || compare_type == comparison_type::TOTALORDER;
    return compare_type == comparison_type::FLOAT;
  }

  constexpr bool holds(bool equal, bool less, bool greater) const {
    using enum tenon::comparison_direction;
    const auto is = [this](auto... directions) { return ((comparison_direction == directions) || ...); };
    if (is(NE)) return !equal;
    return (equal && is(EQ, GE, LE)) || (less && is(LT, LE)) || (greater && is(GT, GE));
  }
  template <class T>
  constexpr bool compare_integers(T lhs, T rhs) const {
    return holds(lhs == rhs, lhs < rhs, rhs < lhs);
  }

  // Inlined, as is what compares vectors: they do not pass through memory.
  template <class F>
  HWY_INLINE auto with_direction(F f) const {
    using enum tenon::comparison_direction;
    switch (comparison_direction) {
      case EQ:
        return f.template operator()<EQ>();
      case NE:
        return f.template operator()<NE>();
      case GE:
        return f.template operator()<GE>();
      case GT:
        return f.template operator()<GT>();
      case LE:
        return f.template operator()<LE>();
      default:
        return f.template operator()<LT>();
    }
  }

  template <tenon::comparison_direction Direction>
  struct directed {
    static constexpr bool element(bool lhs, bool rhs) { return compare{Direction}.element(lhs, rhs); }
    template <class D, class V>
    static auto lanes(D, V lhs, V rhs) {
      return directed_lanes<Direction>(lhs, rhs);
    }
  };

  template <class V>
  HWY_INLINE auto compare_lanes(V lhs, V rhs) const {
    return with_direction([&]<tenon::comparison_direction Direction>() HWY_ATTR
                          __attribute__((always_inline)) { return directed_lanes<Direction>(lhs, rhs); });
  }
  // Highway's Ne is false for NaN on x86, and there is no Ge for integers.
  template <tenon::comparison_direction Direction, class V>
  static auto directed_lanes(V lhs, V rhs) {
    using enum tenon::comparison_direction;
    constexpr bool floats = std::floating_point<hn::TFromD<hn::DFromV<V>>>;
    if constexpr (Direction == EQ)
      return hn::Eq(lhs, rhs);
    else if constexpr (Direction == NE)
      return hn::Not(hn::Eq(lhs, rhs));
    else if constexpr (Direction == GE && floats)
      return hn::Ge(lhs, rhs);
    else if constexpr (Direction == GE)
      return hn::Not(hn::Lt(lhs, rhs));
    else if constexpr (Direction == GT)
      return hn::Gt(lhs, rhs);
    else if constexpr (Direction == LE && floats)
      return hn::Le(lhs, rhs);
    else if constexpr (Direction == LE)
      return hn::Not(hn::Gt(lhs, rhs));
    else
      return hn::Lt(lhs, rhs);
  }
  template <class Keys, class V>
  static auto total_order_keys(Keys keys, V operand) {
    const auto pattern = hn::BitCast(keys, operand);
    const auto below_sign = hn::Set(keys, hwy::LimitsMax<hn::TFromD<Keys>>());
    return hn::Xor(pattern, hn::And(hn::BroadcastSignBit(pattern), below_sign));
  }
};

}  // namespace tenon::ops

namespace tenon {

// compare<comparison_direction::LT>(lhs, rhs): whether the relation holds, element by element. Every element type;
// operands have one type, one may be a number; the result is i1 of their shape. Also `x < y`, `x == y` ...
template <comparison_direction Direction, comparison_type Type = comparison_type::NOTYPE, class Lhs, class Rhs>
constexpr auto compare(Lhs&& lhs, Rhs&& rhs, elementwise_check<ops::compare{Direction, Type}, Lhs, Rhs> = {}) {
  return apply_elementwise<ops::compare{Direction, Type}>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}

}  // namespace tenon
