// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/ops/op.hpp>

namespace tenon {

enum class comparison_direction { EQ, NE, GE, GT, LE, LT };
template <>
inline constexpr std::string_view enumerators<comparison_direction>[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};

enum class comparison_type { NOTYPE, FLOAT, TOTALORDER, SIGNED, UNSIGNED };
template <>
inline constexpr std::string_view enumerators<comparison_type>[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED",
                                                                    "UNSIGNED"};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#compare
struct compare {
  static constexpr std::string_view name = "compare";
  tenon::comparison_direction comparison_direction{};
  comparison_type compare_type = comparison_type::NOTYPE;  // NOTYPE: not written, the natural one is meant

  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) const {
    rule("compare_i1", "lhs: tensor or per-tensor quantized tensor",
         rule.is(lhs, kinds::any | kinds::per_tensor_quantized));
    rule("compare_i2", "rhs: tensor or per-tensor quantized tensor",
         rule.is(rhs, kinds::any | kinds::per_tensor_quantized));
    const dtype element = rule.baseline(lhs);
    rule("compare_c1", "baseline_element_type(lhs) = baseline_element_type(rhs)", element == rule.baseline(rhs));
    rule("compare_c2", "shape(lhs) = shape(rhs) = shape(result)", lhs.shape == rhs.shape);
    rule.result_shape("compare_c2", "shape(lhs) = shape(rhs) = shape(result)", lhs.shape);
    rule("compare_c3", "compare_type suits element_type(lhs), and is_complex(lhs) allows EQ and NE only",
         suits(element) && (!is_complex(element) || comparison_direction <= tenon::comparison_direction::NE));
    tensor_type result = type_of(dtype::i1, lhs.shape);
    result.bounded = lhs.bounded;
    return rule.result("compare_o1", "result: tensor of boolean type", result);
  }

  template <class T>
  constexpr bool element(T lhs, T rhs) const {
    switch (comparison_direction) {
      case tenon::comparison_direction::EQ: return lhs == rhs;
      case tenon::comparison_direction::NE: return !(lhs == rhs);
      case tenon::comparison_direction::GE: return lhs >= rhs;
      case tenon::comparison_direction::GT: return lhs > rhs;
      case tenon::comparison_direction::LE: return lhs <= rhs;
      case tenon::comparison_direction::LT: return lhs < rhs;
    }
    return false;
  }

 private:
  constexpr bool suits(dtype element) const {
    if (compare_type == comparison_type::NOTYPE) return true;
    if (is_signed_integer(element)) return compare_type == comparison_type::SIGNED;
    if (is_unsigned_integer(element) || is_boolean(element)) return compare_type == comparison_type::UNSIGNED;
    if (is_float(element))
      return compare_type == comparison_type::FLOAT || compare_type == comparison_type::TOTALORDER;
    return compare_type == comparison_type::FLOAT;
  }
};

}  // namespace tenon::ops
BOOST_HANA_ADAPT_STRUCT(tenon::ops::compare, comparison_direction, compare_type);
